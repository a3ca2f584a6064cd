/** Installs the pinned versions of ACA-Py from PyPI, each into a virtual environment of its own that later runs use again. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findPython, PYTHON_VERSION } from './python.ts'

const run = promisify(execFile)

export const VERSIONS = ['1.7.0', '1.2.7'] as const

export type Version = (typeof VERSIONS)[number]

/** Ignored by git: environments, logs. */
export const FOLDER = resolve(import.meta.dirname, '../../.acapy')

/** Ms; pip downloads about 80 packages. */
const INSTALL_TIMEOUT = 900_000

/** The suite cannot run on this machine; the message is one line with the reason. */
export class NotAvailable extends Error {}

const requirementsOf = (version: Version): string => join(import.meta.dirname, 'requirements', `${version}.txt`)

/** A virtual environment keeps the paths that it was made with, so it is made in place; the marker file shows that it is complete. */
const makeEnvironment = async (python: string, version: Version, folder: string): Promise<void> => {
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return
  console.log(`installing ACA-Py ${version} into ${folder}`)
  await rm(folder, { recursive: true, force: true })
  try {
    await run(python, ['-m', 'venv', folder])
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--no-deps', '--no-compile']
    await run(join(folder, 'bin', 'python'), [...pip, '--requirement', requirementsOf(version)], {
      timeout: INSTALL_TIMEOUT,
    })
  } catch (error) {
    throw new NotAvailable(`ACA-Py ${version} cannot be installed from PyPI: ${lastLine(error)}`)
  }
  await writeFile(mark, '')
}

/** The last line of a failed program's output, in which pip has the reason. */
const lastLine = (error: unknown): string => {
  const { stderr = '', message } = Object(error)
  return `${stderr}`.trim().split('\n').at(-1) || `${message}`
}

/** Resolves to the path of the program `aca-py`. Throws `NotAvailable`. */
export const install = async (version: Version): Promise<string> => {
  const python = await findPython()
  if (python === undefined)
    throw new NotAvailable(`there is no Python ${PYTHON_VERSION} on this machine (ACAPY_PYTHON can name one)`)
  const requirements = await readFile(requirementsOf(version), 'utf8')
  const key = createHash('sha256').update(`${python}\n${requirements}`).digest('hex').slice(0, 8)
  const folder = join(FOLDER, `${version}-${key}`)
  await makeEnvironment(python, version, folder)
  return join(folder, 'bin', 'aca-py')
}
