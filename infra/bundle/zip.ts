/** A zip whose bytes depend on its files only: not on clock, time zone, user, or the processor's zlib. */
import { zipSync } from 'fflate'

/** `rw-r--r--` of a regular file, in the upper half of the external attributes (APPNOTE.TXT 4.4.15); 3 is Unix. */
const READABLE = { os: 3, attrs: 0o100644 << 16 }

/**
 * Zips write local time without a zone, so the same wall-clock time is the same bytes everywhere; 1980 is the format's
 * first year.
 */
const FIRST_DAY = new Date(1980, 0, 1)

/** Files by their names. fflate and not node:zlib, whose output depends on what the processor can do. */
export const zip = (files: Record<string, Uint8Array>): Uint8Array => {
  const inOrder = Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))
  return zipSync(Object.fromEntries(inOrder), { ...READABLE, level: 6, mtime: FIRST_DAY })
}
