/** Finds a Python that ACA-Py runs on. */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** ACA-Py 1.7.0 wants 3.13 or later; the pinned packages have binaries for 3.13. */
export const PYTHON_VERSION = '3.13'

const PRINT_VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])'

/** The setting first, then PATH, then what pyenv has installed (its commands on PATH work for one chosen version only). */
const candidates = (): string[] => {
  const { ACAPY_PYTHON, PYENV_ROOT = join(homedir(), '.pyenv') } = process.env
  if (ACAPY_PYTHON !== undefined) return [ACAPY_PYTHON]
  return [
    `python${PYTHON_VERSION}`,
    'python3',
    ...globSync(join(PYENV_ROOT, 'versions', `${PYTHON_VERSION}*`, 'bin', 'python3')),
  ]
}

const isSuitable = async (program: string): Promise<boolean> => {
  try {
    const { stdout } = await run(program, ['-c', PRINT_VERSION])
    return stdout.trim() === PYTHON_VERSION
  } catch {
    return false
  }
}

/** The program to call; undefined if this machine has none. `ACAPY_PYTHON` is the path of another one. */
export const findPython = async (): Promise<string | undefined> => {
  for (const program of candidates()) if (await isSuitable(program)) return program
  return undefined
}
