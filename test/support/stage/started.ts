/** `npm start` as run at a terminal, and its output when it is ready. */
import { type Program, type ProgramOptions, startProgram, withoutNpm } from './program.ts'

export interface StartedStage {
  program: Program
  baseUrl: string
  rootToken: string
  /** Its output, without npm's own lines. */
  lines: string[]
}

const READY = /^Base URL: +(\S+)\nRoot token: (\S+)\nReference: +\S+\n(curl .+\n){3}/m

/** Waits until a stage has printed its whole start message. */
export const whenReady = async (program: Program): Promise<StartedStage> => {
  const [, baseUrl = '', rootToken = ''] = await program.says(READY)
  const lines = withoutNpm(program.stdout()).replace(/\n$/, '').split('\n')
  return { program, baseUrl, rootToken, lines }
}

/** On a free port, and by default in memory. */
export const npmStart = ({ env = {}, args = [], ...options }: ProgramOptions & { args?: string[] } = {}): Program =>
  startProgram('npm', ['start', ...args], { ...options, env: { PORT: '0', ...env } })
