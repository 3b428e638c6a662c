import { crc32, deflateSync } from "node:zlib";

const width = 320;
const height = 200;

/** A small landscape as PNG: a picture that one sees in the inbox. */
export function drawPicture(): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(colorAt(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // 8 bits each of red, green and blue.
  size.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function colorAt(x: number, y: number): readonly number[] {
  if (Math.hypot(x - 235, y - 60) < 26) return [255, 205, 86];
  if (y > 165 - 45 * Math.sin(x / 60)) return [62, 125, 94];
  if (y > 120 + 35 * Math.cos(x / 45)) return [96, 160, 120];
  return [170 + y / 4, 205 + y / 8, 240];
}

/** Length, name, data and checksum. */
function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const made = Buffer.alloc(named.length + 8);
  made.writeUInt32BE(data.length, 0);
  named.copy(made, 4);
  made.writeUInt32BE(crc32(named), named.length + 4);
  return made;
}
