"""The peer of the benchmark: pyHanko stamps, seals and verifies the very files that we do.

    .tools/venv/bin/python script/bench_pyhanko.py FOLDER FONT.otf

FOLDER holds plain.pdf, stamped.pdf, sealed.pdf, key.der, certificate.pem, root.pem, texts.json and tsa.url. For each line on
standard input (stamp, seal, seal_timestamped or verify) it does that once, and prints [milliseconds by the wall,
milliseconds in the processor] as JSON.
"""

import io
import json
import logging
import sys
import time
import urllib.request
from pathlib import Path

from asn1crypto import tsp
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils import text
from pyhanko.pdf_utils.font.api import FontEngineFactory
from pyhanko.pdf_utils.font.opentype import GlyphAccumulatorFactory
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import fields, signers, timestamps
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.stamp import TextStamp, TextStampStyle
from pyhanko_certvalidator import ValidationContext


class SharedFont(FontEngineFactory):
    """One font engine for all texts, so that the font is read, subset and embedded once, as ours is."""

    def __init__(self, font):
        self.factory = GlyphAccumulatorFactory(font)
        self.engine = None

    def create_font_engine(self, writer, obj_stream=None):
        if self.engine is None:
            self.engine = self.factory.create_font_engine(writer, obj_stream)
        return self.engine


class Authority(timestamps.TimeStamper):
    """Asks over HTTP with nothing but the standard library, as the other side of the benchmark does."""

    def __init__(self, url):
        super().__init__()
        self.url = url

    async def async_request_tsa_response(self, req):
        headers = {"Content-Type": "application/timestamp-query"}
        with urllib.request.urlopen(urllib.request.Request(self.url, req.dump(), headers)) as response:
            return tsp.TimeStampResp.load(response.read())


def main():
    logging.disable(logging.CRITICAL)
    folder, font = Path(sys.argv[1]), sys.argv[2]
    plain, stamped, sealed = ((folder / name).read_bytes() for name in ("plain.pdf", "stamped.pdf", "sealed.pdf"))
    texts = json.loads((folder / "texts.json").read_text())
    signer = signers.SimpleSigner.load(
        str(folder / "key.der"), str(folder / "certificate.pem"), ca_chain_files=[str(folder / "root.pem")]
    )
    root = load_cert_from_pemder(str(folder / "root.pem"))

    def stamp():
        writer = IncrementalPdfFileWriter(io.BytesIO(plain))
        factory = SharedFont(font)
        for number, words in enumerate(texts):
            style = TextStampStyle(
                stamp_text=words.replace("%", "%%"),
                text_box_style=text.TextBoxStyle(font=factory, font_size=10),
                border_width=0,
                background=None,
            )
            TextStamp(writer, style).apply(dest_page=0, x=60, y=60 + 50 * number)
        writer.write(io.BytesIO())

    authority = Authority((folder / "tsa.url").read_text())

    def seal(timestamper=None):
        metadata = signers.PdfSignatureMetadata(
            field_name="Seal1",
            subfilter=fields.SigSeedSubFilter.PADES,
            md_algorithm="sha256",
            certify=True,
            docmdp_permissions=fields.MDPPerm.NO_CHANGES,
        )
        signers.sign_pdf(
            IncrementalPdfFileWriter(io.BytesIO(stamped)),
            metadata,
            signer,
            timestamper=timestamper,
            bytes_reserved=32768,
        )

    def verify():
        signature = PdfFileReader(io.BytesIO(sealed)).embedded_signatures[0]
        context = ValidationContext(trust_roots=[root], allow_fetching=False)
        if not validate_pdf_signature(signature, context).bottom_line:
            raise SystemExit("pyHanko does not hold the sealed file valid")

    works = {
        "stamp": stamp,
        "seal": seal,
        "seal_timestamped": lambda: seal(authority),
        "verify": verify,
    }
    for line in sys.stdin:
        work = works[line.strip()]
        began = time.perf_counter(), time.process_time()
        work()
        ended = time.perf_counter(), time.process_time()
        print(json.dumps([(end - begin) * 1000 for begin, end in zip(began, ended)]), flush=True)


main()
