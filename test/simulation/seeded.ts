/** Numbers and ids that look random and are the same in each run. */

/** A generator of numbers in [0, 1): mulberry32. */
export const seeded = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

/** A generator of UUIDs. */
export const seededIds = (seed: number): (() => string) => {
  const random = seeded(seed)
  const digits = () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0')
  return () => `${digits()}${digits()}${digits()}${digits()}`.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-')
}
