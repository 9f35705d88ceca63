"""How PDFium shows pages, for tests.

    .tools/venv/bin/python script/picture_pdfium.py FILE DOTS_PER_INCH [PAGES]

Prints the first pages (one, if no number is given) with their annotations and the form as PPMs, one after the other.
"""

import sys

import pypdfium2


def picture(page, dots_per_inch):
    bitmap = page.render(scale=dots_per_inch / 72, rev_byteorder=True, prefer_bgrx=True)
    pixels = memoryview(bitmap.buffer).cast("B")
    rows = bytearray()
    for row in range(bitmap.height):
        start = row * bitmap.stride
        line = bytes(pixels[start : start + bitmap.width * bitmap.n_channels])
        rgb = bytearray(bitmap.width * 3)
        for channel in range(3):
            rgb[channel::3] = line[channel :: bitmap.n_channels]
        rows += rgb
    return f"P6 {bitmap.width} {bitmap.height} 255\n".encode() + bytes(rows)


def main():
    file, dots_per_inch = sys.argv[1], float(sys.argv[2])
    pages = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    document = pypdfium2.PdfDocument(file)
    document.init_forms()
    for number in range(min(pages, len(document))):
        sys.stdout.buffer.write(picture(document[number], dots_per_inch))


main()
