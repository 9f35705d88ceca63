"""The peer of the benchmark: PDFium renders the very pages that we do, one thread, into memory.

    .tools/venv/bin/python script/bench_pdfium.py PAGES.json DOTS_PER_INCH ROUNDS

PAGES.json holds [{"file": …, "pages": [1, …]}]. Prints each page's median in milliseconds as a JSON list. A file is opened
once a round; the first page of it bears the opening, as ours does.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import pypdfium2


def main():
    listed = json.loads(Path(sys.argv[1]).read_text())
    scale, rounds = float(sys.argv[2]) / 72, int(sys.argv[3])
    medians = []
    for item in listed:
        pdf = Path(item["file"]).read_bytes()
        samples = [[] for _ in item["pages"]]
        for _ in range(rounds):
            began = time.perf_counter()
            document = pypdfium2.PdfDocument(pdf)
            for number, times in zip(item["pages"], samples):
                page = document[number - 1]
                bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=True)
                times.append((time.perf_counter() - began) * 1000)
                bitmap.close()
                page.close()
                began = time.perf_counter()
            document.close()
        medians.extend(statistics.median(times) for times in samples)
    print(json.dumps(medians))


main()
