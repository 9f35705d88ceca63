"""How PDFium shows a page, for tests.

    .tools/venv/bin/python script/picture_pdfium.py FILE DOTS_PER_INCH

Prints the first page with its annotations and form as a PPM.
"""

import sys

import pypdfium2


def main():
    file, dots_per_inch = sys.argv[1], float(sys.argv[2])
    document = pypdfium2.PdfDocument(file)
    document.init_forms()
    bitmap = document[0].render(scale=dots_per_inch / 72, rev_byteorder=True, prefer_bgrx=True)
    pixels = memoryview(bitmap.buffer).cast("B")
    rows = bytearray()
    for row in range(bitmap.height):
        start = row * bitmap.stride
        line = bytes(pixels[start : start + bitmap.width * bitmap.n_channels])
        rgb = bytearray(bitmap.width * 3)
        for channel in range(3):
            rgb[channel::3] = line[channel :: bitmap.n_channels]
        rows += rgb
    header = f"P6 {bitmap.width} {bitmap.height} 255\n".encode()
    sys.stdout.buffer.write(header + bytes(rows))


main()
