/** Files that only their owner may read. The first process that needs one creates it, and later ones read it. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reason, StageFailure, systemCode } from '../failure.ts'

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Creates a file with all of its content, unless another process was faster. */
const create = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(draft, text, { mode: 0o600 })
  try {
    await link(draft, path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}

/** The text of a private file; a missing one is created with the text of `make`. Throws `StageFailure`. */
export const privateFile = async (path: string, make: () => string | Promise<string>): Promise<string> => {
  try {
    const text = await readIfThere(path)
    if (text !== undefined) return text
    await create(path, await make())
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new StageFailure(`${path} cannot be used: ${reason(error)}`, error)
  }
}
