/** The service in a separate folder, with some of its files replaced: for behaviour that the real ones do not have. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const PARTS = ['functions', 'infra', 'lib', 'node_modules', 'package.json', 'serverless.yml']

/** An empty folder that is deleted after the test. */
export const temporaryFolder = async (): Promise<{ path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'serverless-agent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Links a file or folder; a folder with replacements is created, down to them. */
const place = async (folder: string, path: string, replaced: ReadonlyMap<string, string>): Promise<void> => {
  const text = replaced.get(path)
  if (text !== undefined) return writeFile(join(folder, path), text)
  if (![...replaced.keys()].some((other) => other.startsWith(`${path}/`)))
    return symlink(resolve(path), join(folder, path))
  await mkdir(join(folder, path))
  for (const name of await readdir(path)) await place(folder, `${path}/${name}`, replaced)
}

/** `replacements` are texts by paths, as `functions/health.ts`. */
export const serviceFolder = async (
  replacements: Record<string, string>,
): Promise<{ path: string } & AsyncDisposable> => {
  const folder = await temporaryFolder()
  // Serverless does not accept a link as its configuration.
  const replaced = new Map(
    Object.entries({ 'serverless.yml': await readFile('serverless.yml', 'utf8'), ...replacements }),
  )
  for (const part of PARTS) await place(folder.path, part, replaced)
  return folder
}
