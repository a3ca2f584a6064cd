/** Installs the pinned version of moto from PyPI, into a virtual environment that later runs use again. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findPython, PYTHON_VERSION } from '../acapy/python.ts'

const run = promisify(execFile)

/** Ignored by git: environments, logs. */
export const FOLDER = resolve(import.meta.dirname, '../../.moto')

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')

/** Ms; pip downloads about 60 packages. */
const INSTALL_TIMEOUT = 900_000

/** The suite cannot run on this machine; the message is the one line that says why. */
export class NotAvailable extends Error {}

/** Resolves to the path of its Python. Throws `NotAvailable`. */
export const install = async (): Promise<string> => {
  const python = await findPython()
  if (python === undefined)
    throw new NotAvailable(`there is no Python ${PYTHON_VERSION} on this machine (ACAPY_PYTHON can name one)`)
  const requirements = await readFile(REQUIREMENTS, 'utf8')
  const key = createHash('sha256').update(`${python}\n${requirements}`).digest('hex').slice(0, 8)
  const folder = join(FOLDER, key)
  await makeEnvironment(python, folder)
  return join(folder, 'bin', 'python')
}

/** It keeps the paths that it was made with, so it is made in place; the mark says that it is complete. */
const makeEnvironment = async (python: string, folder: string): Promise<void> => {
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return
  console.log(`installing moto into ${folder}`)
  await rm(folder, { recursive: true, force: true })
  try {
    await run(python, ['-m', 'venv', folder])
    // Most modules are never loaded, and only one process loads the others.
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--no-deps', '--no-compile']
    await run(join(folder, 'bin', 'python'), [...pip, '--requirement', REQUIREMENTS], { timeout: INSTALL_TIMEOUT })
  } catch (error) {
    const { stderr = '', message } = Object(error)
    throw new NotAvailable(`moto cannot be installed from PyPI: ${`${stderr}`.trim().split('\n').at(-1) || message}`)
  }
  await writeFile(mark, '')
}
