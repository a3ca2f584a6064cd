/** Commands of a guide, pasted one after another into a shell while a stage runs. */
import { readFileSync } from 'node:fs'
import { freePort } from '../../../infra/local/port.ts'
import { type Ending, startProgram } from './program.ts'
import type { StartedStage } from './started.ts'

/** Files that guides name. They are created in the test's own folder. */
const FILES = /(?<=[\s"])(?:wallet\.log|events\.log|scans)\b/g

/** The text of all blocks of a guide, or of one of its sections. */
export const commandsOf = (path: string, section?: string): string => {
  const guide = readFileSync(path, 'utf8')
  const parts =
    section === undefined ? [guide] : guide.split(/^(?=## )/m).filter((part) => part.startsWith(`## ${section}\n`))
  const blocks = parts.flatMap((part) => [...part.matchAll(/^```sh\n([\s\S]*?)^```/gm)])
  if (blocks.length === 0) throw new Error(`${path} has no commands`)
  return blocks.map(([, text = '']) => text).join('\n')
}

/** Runs the commands to their end: against the stage, with files in `folder`, and with servers on free ports. */
export const paste = async (commands: string, { baseUrl }: StartedStage, folder: string): Promise<Ending> => {
  const script = commands
    .replaceAll('http://127.0.0.1:3000', baseUrl)
    .replaceAll(/\b8080\b/g, String(await freePort()))
    .replaceAll(FILES, (name) => `${folder}/${name}`)
  return startProgram('bash', ['-c', script]).ended()
}

/** The JSON lines in the output of commands. */
export const jsonLines = ({ stdout }: Ending): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line))
