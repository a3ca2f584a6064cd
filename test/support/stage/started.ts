/** `npm start` as somebody at a terminal runs it, and what it says when it is ready. */
import { type Program, type ProgramOptions, startProgram, withoutNpm } from './program.ts'

export interface StartedStage {
  program: Program
  baseUrl: string
  rootToken: string
  /** All that it says, npm's own lines left out. */
  lines: string[]
}

const READY = /^Base URL: +(\S+)\nRoot token: (\S+)\nReference: +\S+\n(curl .+\n){3}/m

/** Waits until a stage has said all that it has to say. */
export const whenReady = async (program: Program): Promise<StartedStage> => {
  const [, baseUrl = '', rootToken = ''] = await program.says(READY)
  const lines = withoutNpm(program.stdout()).replace(/\n$/, '').split('\n')
  return { program, baseUrl, rootToken, lines }
}

/** On a port that is free, and in memory unless `env` says something else. */
export const npmStart = ({ env = {}, args = [], ...options }: ProgramOptions & { args?: string[] } = {}): Program =>
  startProgram('npm', ['start', ...args], { ...options, env: { PORT: '0', ...env } })
