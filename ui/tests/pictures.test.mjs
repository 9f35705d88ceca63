// The stamp matches what the signer sees, for each kind of field, in five scripts and emoji, on pages rotated by 0, 90,
// 180 and 270 degrees. Compares the signing page in a real browser with the sealed PDF as poppler renders it: the ink
// of each box covers the same place within one point and about the same area, and no character is missing.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";
import { open, ready } from "./browser.mjs";
import { browser, server, withServer } from "./with-server.mjs";

withServer({ keepPages: true });

const SCRIPTS = {
  latin: "Jörg Ångström gpqy",
  hangul: "똠방각하 김민준",
  han: "髙橋かな カナ 张伟",
  arabic: "محمد عبد الله",
  hebrew: "שלום עולם",
  emoji: "👍 🎉 ❤️ 👩🏽‍💻",
};

/** Four columns; each row is a field a column. */
const COLUMN = 240_000;
const ROW = 42_000;

function at(column, row, rows = 1) {
  return { page: 1, x: 20_000 + column * COLUMN, y: 15_000 + row * ROW, width: COLUMN - 25_000, height: rows * ROW - 10_000 };
}

const FIELDS = [];
const VALUES = {};
let rows = 0;

/** A row of fields; each may have a value. */
function row(height, ...fields) {
  for (const [column, { value, ...field }] of fields.entries()) {
    FIELDS.push({ step: 1, ...at(column, rows, height), ...field });
    if (value !== undefined) VALUES[field.name] = value;
  }
  rows += height;
}

for (const [script, text] of Object.entries(SCRIPTS)) {
  row(
    2,
    { name: `${script} line`, kind: "text", lines: "one", value: text },
    { name: `${script} lines`, kind: "text", lines: "many", font_size: 9, value: `${text}\n${text} ${text} ${text}` },
    {
      name: `${script} cells`,
      kind: "text",
      cells: 8,
      value: [...new Intl.Segmenter().segment(text)]
        .slice(0, 6)
        .map(({ segment }) => segment)
        .join(""),
    },
    {
      name: `${script} shrunk`,
      kind: "text",
      lines: "one",
      font_size: 20,
      alignment: "center",
      value: `${text} ${text}`,
      bold: true,
      color: "#7a1020",
    },
  );
}
row(
  1,
  { name: "number", kind: "number", thousands: true, decimals: 2, alignment: "right", value: "1234567.5" },
  { name: "calculated", kind: "calc", formula: "number * 2", thousands: true },
  { name: "dotted day", kind: "date", pattern: "yyyy.MM.dd", value: "2026-03-07" },
  { name: "korean day", kind: "date", pattern: "yyyy년 M월 d일", value: "2026-12-31" },
);
row(
  1,
  { name: "day apart", kind: "date", pattern: "yyyy", value: "2026-03-07" },
  { name: "day apart", kind: "date", pattern: "MM" },
  { name: "day apart", kind: "date", pattern: "dd", cells: 2 },
  { name: "plain day", kind: "date", value: "2026-03-07" },
);
row(
  1,
  { name: "check", kind: "check", value: "Y" },
  { name: "choice", kind: "radio", option: "A", value: "B" },
  { name: "choice", kind: "radio", option: "B" },
  { name: "list", kind: "select", options: ["서울", "東京"], value: "東京" },
);
row(
  1,
  { name: "sender's text", kind: "label", value: "발송인의 글" },
  { name: "fixed", kind: "label", read_only: true, default: "Fixed 고정" },
  { name: "own name", kind: "writer", detail: "name" },
  { name: "own address", kind: "writer", detail: "email" },
);
row(1, { name: "signed on", kind: "signed_on", pattern: "yyyy년 M월 d일" });
row(
  2,
  { name: "signature", kind: "signature", value: blot(90, 40) },
  { name: "initials", kind: "initials", value: blot(40, 40) },
  { name: "seal", kind: "seal", value: blot(40, 60) },
  { name: "picture", kind: "image", value: blot(160, 30) },
);

// Drawn by the server from these descriptions.
const DRAWINGS = {
  "typed name": { way: "typed", hand: "nanum-pen", text: "김민준" },
  "joined name": { way: "typed", hand: "dancing-script", text: "Jane Doe" },
  "round seal": { way: "seal", shape: "round", name: "山田", title: "" },
  "company seal": { way: "seal", shape: "double-ring", name: "주식회사한빛", title: "대표이사" },
};
row(2, ...Object.keys(DRAWINGS).map((name) => ({ name, kind: name.endsWith("seal") ? "seal" : "signature" })));

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** A black PNG with a transparent edge, as base64. */
function blot(width, height) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 4, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + width * 2));
  for (let y = 4; y < height - 4; y += 1) {
    for (let x = 4; x < width - 4; x += 1) lines[y * (1 + width * 2) + 1 + x * 2 + 1] = 255;
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]).toString("base64");
}

/** An empty A4 page, turned. */
function turned(rotate) {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    // The crop box has a different origin from the media box.
    `<< /Type /Page /Parent 2 0 R /MediaBox [-20 -10 615 862] /CropBox [0 0 595 842] /Rotate ${rotate} /Resources << >> >>`,
  ];
  let text = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const start = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = text.length;
  text += `xref\n0 4\n0000000000 65535 f \n${offsets.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("")}`;
  text += `trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

/** A picture in grey: `dark(x, y)` is 0 for white and 1 for black. */
class Picture {
  constructor(width, height, samples, bytes) {
    Object.assign(this, { width, height, samples, bytes });
  }

  dark(x, y) {
    const start = (y * this.width + x) * this.samples;
    let sum = 0;
    for (let sample = 0; sample < 3; sample += 1) sum += this.bytes[start + sample];
    return 1 - sum / 765;
  }

  /** A binary portable pixmap, as pdftoppm writes it. */
  static pixmap(bytes) {
    const [head] = /^P6\s+\d+\s+\d+\s+255\s/.exec(bytes.subarray(0, 64).toString("latin1"));
    const [, width, height] = head.split(/\s+/).map(Number);
    return new Picture(width, height, 3, bytes.subarray(head.length));
  }

  /** A PNG of 8 bits a sample, not interlaced, in colour with or without alpha (W3C PNG, 9.2). */
  static png(file) {
    let [width, height, samples] = [0, 0, 3];
    const parts = [];
    for (let place = 8; place < file.length;) {
      const length = file.readUInt32BE(place);
      const kind = file.toString("latin1", place + 4, place + 8);
      const data = file.subarray(place + 8, place + 8 + length);
      if (kind === "IHDR") {
        [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
        samples = data[9] === 6 ? 4 : 3;
      }
      if (kind === "IDAT") parts.push(data);
      place += 12 + length;
    }
    const raw = inflateSync(Buffer.concat(parts));
    const stride = width * samples;
    const bytes = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y += 1) {
      const filter = raw[y * (stride + 1)];
      for (let x = 0; x < stride; x += 1) {
        const left = x >= samples ? bytes[y * stride + x - samples] : 0;
        const up = y > 0 ? bytes[(y - 1) * stride + x] : 0;
        const corner = x >= samples && y > 0 ? bytes[(y - 1) * stride + x - samples] : 0;
        const guess = left + up - corner;
        const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
        const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
        const before = [0, left, up, (left + up) >> 1, paeth][filter];
        bytes[y * stride + x] = raw[y * (stride + 1) + 1 + x] + before;
      }
    }
    return new Picture(width, height, samples, bytes);
  }

  /** The ink within a box of fractions of the page, a little enlarged: its edges in fractions, and its area. */
  ink({ x, y, width, height }, margin) {
    const clamp = (value, most) => Math.min(most, Math.max(0, Math.round(value)));
    const [from, to] = [clamp((x - margin) * this.width, this.width), clamp((x + width + margin) * this.width, this.width)];
    const [top, bottom] = [
      clamp((y - margin) * this.height, this.height),
      clamp((y + height + margin) * this.height, this.height),
    ];
    const edges = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity, area: 0 };
    for (let row = top; row < bottom; row += 1) {
      for (let column = from; column < to; column += 1) {
        const dark = this.dark(column, row);
        edges.area += dark;
        if (dark < 0.3) continue;
        edges.left = Math.min(edges.left, column);
        edges.right = Math.max(edges.right, column + 1);
        edges.top = Math.min(edges.top, row);
        edges.bottom = Math.max(edges.bottom, row + 1);
      }
    }
    return edges;
  }
}

/** The page as the writer sees it, without what only helps him to write. */
async function onPage(address, points) {
  // Three pixels per point, starting at a whole pixel.
  const page = await open(browser, "desktop", { bypassCSP: true, deviceScaleFactor: 3, viewport: { width: 900, height: 900 } });
  await page.goto(address);
  await ready(page);
  await page.addStyleTag({
    content: `.field, .field.mine { background: none !important; box-shadow: none !important; outline: none !important }
      .field::after, .bar, header { display: none !important }
      .field select { appearance: none }
      .field:not([data-ink]) :is(input[type=text], input[type=date]) { color: transparent }
      .field.picture .ask { visibility: hidden }
      document-page { box-shadow: none !important; position: fixed !important; top: 0; left: 0; width: ${points}px; z-index: 99 }`,
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".field img")].every((image) => image.complete && image.naturalWidth > 0),
  );
  const shot = await page.locator("document-page").screenshot();
  assert.deepEqual(page.faults, []);
  await page.context().close();
  return Picture.png(shot);
}

for (const rotate of [0, 90, 180, 270]) {
  test(`page and PDF show each kind of field alike in every script on a page turned by ${rotate} degrees`, async () => {
    const template = server.import({ name: "kinds", steps: [{ order: 1 }], fields: FIELDS }, turned(rotate));
    const started = await server.startWorkflow({
      template_id: template,
      recipient_list: [{ order: 1, name: "김민준", email: "minjun@example.com" }],
      field_list: Object.entries(VALUES).map(([name, value]) => ({ name, value })),
    });
    const asWriter = async (path, body) => {
      const headers = { "content-type": "application/json", "link-token": started.token };
      const answer = await fetch(server.base + path, { method: "POST", headers, body: JSON.stringify(body) });
      assert.ok(answer.ok, `${path}: ${answer.status}`);
      return answer;
    };
    let revision = 0;
    for (const [name, drawing] of Object.entries(DRAWINGS)) {
      ({ revision } = await (await asWriter("/sign/files", { name, drawing })).json());
    }
    const points = rotate % 180 === 0 ? 595 : 842;
    const shown = await onPage(started.sign_url, points);
    await asWriter("/sign/consent", {});
    await asWriter("/sign/approve", { revision });
    const answer = await fetch(`${server.base}/api/v3/workflows/${started.workflow_id}/document`, {
      headers: { authorization: `service ${server.token}` },
    });
    assert.equal(answer.status, 200);
    const file = join(mkdtempSync(join(tmpdir(), "countersign-pictures-")), "sealed.pdf");
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    // Poppler scales before it rotates.
    const [across, down] = rotate % 180 === 0 ? [shown.width, shown.height] : [shown.height, shown.width];
    const size = ["-scale-to-x", String(across), "-scale-to-y", String(down)];
    const drawn = spawnSync("pdftoppm", ["-cropbox", "-singlefile", ...size, file], { maxBuffer: 1 << 28 });
    assert.equal(drawn.status, 0, String(drawn.stderr));
    const stamped = Picture.pixmap(drawn.stdout);
    assert.deepEqual([stamped.width, stamped.height], [shown.width, shown.height]);

    const pixels = shown.width / points;
    const faults = [];
    for (const [index, field] of FIELDS.entries()) {
      const box = Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, field[name] / 1_000_000]));
      const what = `${index} ${field.name}`;
      const [page, pdf] = [shown.ink(box, 0.004), stamped.ink(box, 0.004)];
      // The box of the other choice stays empty.
      const empty = field.option === "A";
      if (empty || page.right < 0 || pdf.right < 0) {
        if (!empty || page.right > 0 || pdf.right > 0)
          faults.push(`${what}: nothing on ${page.right < 0 ? "the page" : "the PDF"}`);
        continue;
      }
      for (const edge of ["left", "top", "right", "bottom"]) {
        const apart = Math.abs(page[edge] - pdf[edge]) / pixels;
        if (!(apart <= 1)) faults.push(`${what}: ${edge} is ${apart.toFixed(2)} points apart`);
      }
      const more = page.area / pdf.area;
      if (!(more > 0.85 && more < 1.18)) faults.push(`${what}: ${more.toFixed(2)} times the ink`);
    }
    assert.deepEqual(faults, []);

    const read = spawnSync("pdftotext", ["-enc", "UTF-8", file, "-"], { encoding: "utf8" }).stdout;
    for (const text of [...Object.values(SCRIPTS), "1,234,567.50", "2,469,135", "2026년 12월 31일", "東京", "Fixed 고정"]) {
      for (const character of text.replace(/[\s\u200d\ufe0f]/g, "")) {
        assert.ok(read.includes(character), `${character} of ${text} is not in the PDF:\n${read}`);
      }
    }
  });
}
