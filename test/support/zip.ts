import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive. The last fields make an archive that lies or is hostile. */
export interface ZipPart {
  name: string;
  content: Buffer | string;
  /** Bytes that the archive names instead of the true size. */
  namedSize?: number;
  isEncrypted?: boolean;
  /** True: the content is stored as it is. */
  isStored?: boolean;
}

interface WrittenPart {
  local: Buffer;
  central: Buffer;
}

const encryptedFlag = 0x1;
const utf8Flag = 0x800;

/** Writes a ZIP archive. @param entryCount entries that the archive names instead of the true number */
export function zip(parts: readonly ZipPart[], entryCount = parts.length): Buffer {
  let offset = 0;
  const written = parts.map((part) => {
    const one = writePart(part, offset);
    offset += one.local.length;
    return one;
  });
  const central = Buffer.concat(written.map((one) => one.central));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entryCount, 8);
  end.writeUInt16LE(entryCount, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...written.map((one) => one.local), central, end]);
}

function writePart(part: ZipPart, offset: number): WrittenPart {
  const content = Buffer.from(part.content);
  const name = Buffer.from(part.name);
  const data = part.isStored === true ? content : deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(utf8Flag | (part.isEncrypted === true ? encryptedFlag : 0), 2);
  common.writeUInt16LE(part.isStored === true ? 0 : 8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(part.namedSize ?? content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([mark(0x04034b50), common, name, data]),
    central: Buffer.concat([mark(0x02014b50), versionMadeBy, common, tail, name]),
  };
}

const versionMadeBy = Buffer.from([20, 0]);

function mark(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
