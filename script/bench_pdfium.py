"""The peer of the benchmark: PDFium renders the very pages that we do, one thread, into memory.

    .tools/venv/bin/python script/bench_pdfium.py DOTS_PER_INCH

For each line {"file": …, "pages": [1, …]} on standard input it opens the file once, renders the pages, and prints a JSON
list of [milliseconds by the wall, milliseconds in the processor], one for each page. The first page bears the opening, as
ours does.
"""

import json
import sys
import time
from pathlib import Path

import pypdfium2


def main():
    scale = float(sys.argv[1]) / 72
    for line in sys.stdin:
        order = json.loads(line)
        pdf = Path(order["file"]).read_bytes()
        times = []
        began = time.perf_counter(), time.process_time()
        document = pypdfium2.PdfDocument(pdf)
        for number in order["pages"]:
            page = document[number - 1]
            bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=True)
            ended = time.perf_counter(), time.process_time()
            times.append([(end - begin) * 1000 for begin, end in zip(began, ended)])
            bitmap.close()
            page.close()
            began = time.perf_counter(), time.process_time()
        document.close()
        print(json.dumps(times), flush=True)


main()
