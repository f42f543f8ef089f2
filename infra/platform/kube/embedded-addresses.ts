import { isIPv6 } from "node:net";

/**
 * Returns the IPv4 addresses that an IPv6 address may lead to: mapped, compatible and translated ones, 6to4, Teredo,
 * ISATAP, NAT64. Where a network chooses the place (64:ff9b:1::/48), all places count. Sources: RFC 3056, 4291, 4380,
 * 5214, 6052, 8215
 */
export function embeddedAddresses(address: string): readonly string[] {
  if (!isIPv6(address)) return [];
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const last = at(groups, 6);
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  if (isZero(0, 4) && (isZero(4, 6) || isZero(4, 5) || fourthIsTranslated(groups))) return [last];
  if (first === 0x64 && second === 0xff9b && isZero(2, 6)) return [last];
  if (first === 0x64 && second === 0xff9b && third === 1) {
    const [fifth = 0, sixth = 0] = groups.slice(4);
    const after48 = dotted(fourth, shifted(groups, 4));
    const after56 = dotted(((fourth & 0xff) << 8) | (fifth & 0xff), sixth);
    const after64 = dotted(shifted(groups, 4), shifted(groups, 5));
    return [last, after48, after56, after64];
  }
  if (first === 0x2002) return [dotted(second, third)];
  if (first === 0x2001 && second === 0)
    return [
      dotted(third, fourth),
      at(
        groups.map((group) => ~group & 0xffff),
        6,
      ),
    ];
  if (((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe) return [last];
  return [];
}

function fourthIsTranslated(groups: readonly number[]): boolean {
  return groups[4] === 0xffff && groups[5] === 0;
}

/** Returns the 16 bits that begin 8 bits after a group: RFC 6052 leaves bits 64 to 71 out. */
function shifted(groups: readonly number[], index: number): number {
  return (((groups[index] ?? 0) & 0xff) << 8) | ((groups[index + 1] ?? 0) >> 8);
}

function at(groups: readonly number[], index: number): string {
  return dotted(groups[index] ?? 0, groups[index + 1] ?? 0);
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** Returns eight numbers of 16 bits. */
export function groupsOf(address: string): readonly number[] {
  // The URL writes a dotted end in groups, and has no zone.
  const [plain = ""] = address.split("%", 1);
  const { hostname } = new URL(`http://[${plain}]`);
  const [left = "", right] = hostname.slice(1, -1).split("::");
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [parse(left), parse(right ?? "")];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
