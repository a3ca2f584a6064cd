/** A search for leftovers, in a file from which the next run goes on. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as v from 'valibot'

const Place = v.object({ pk: v.string(), sk: v.string() })
const Leftover = v.object({ ...Place.entries, kind: v.string(), expires: v.boolean() })
export type Leftover = v.InferOutput<typeof Leftover>

const Search = v.object({
  /** `removedAt`: a later removal of a tenant of the same id has another list. */
  ...{ table: v.string(), tenant: v.string(), removedAt: v.string() },
  /** Read units used so far. */
  units: v.number(),
  /** Where each segment of the table continues. */
  places: v.array(v.union([v.picklist(['start', 'end']), Place])),
  leftovers: v.array(Leftover),
  /** Number of leftovers, in their order, that the removal has looked at. */
  handled: v.number(),
})
export type Search = v.InferOutput<typeof Search>

const File = v.fallback(v.optional(v.pipe(v.string(), v.parseJson(), Search)), undefined)

/** The search of a file; undefined: there is none, or its content is not valid. */
export const readSearch = (path: string): Search | undefined =>
  v.parse(File, existsSync(path) ? readFileSync(path, 'utf8') : undefined)

const save = (path: string, search: Search): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, JSON.stringify(search), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** In ms. What was done since then is repeated after a kill. */
const SAVE_MS = 5_000

/** Does `work`, and saves the search before, after and every few seconds, with a line for the terminal. */
export const saving = async <T>(path: string, search: Search, work: () => Promise<T>): Promise<T> => {
  save(path, search)
  const timer = setInterval(() => {
    save(path, search)
    const { units, leftovers, handled } = search
    console.error(`${Math.round(units)} read units, ${leftovers.length} items found, ${handled} looked at again`)
  }, SAVE_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    save(path, search)
  }
}
