/** Programs as started at a terminal: what they write, what is typed, Ctrl-C, and how they end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitFor } from '../../wallet/wait.ts'

export interface ProgramOptions {
  /** Added to a shell's needs; nothing of the tests' own environment. */
  env?: Record<string, string>
  cwd?: string
}

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Program {
  pid: number
  stdout(): string
  stderr(): string
  /** Resolves when its stdout matches; rejects when it ends before. */
  says(pattern: RegExp): Promise<RegExpMatchArray>
  types(line: string): void
  /** As Ctrl-C at a terminal: to the program and to all that it started there. */
  interrupt(): void
  /** To the program alone. */
  signal(signal: NodeJS.Signals): void
  hasEnded(): boolean
  ended(): Promise<Ending>
}

const running = new Set<ChildProcess>()

const killGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // All of them have ended.
  }
}

/** Ends programs that a failed test has left; for `afterEach`. */
export const endPrograms = (): void => {
  for (const child of running) killGroup(child, 'SIGKILL')
  running.clear()
}

process.once('exit', endPrograms)

const shellEnvironment = (): Record<string, string> => {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  return { PATH, HOME, TMPDIR }
}

/** Starts a program in a new process group. */
export const startProgram = (command: string, args: string[], { env = {}, cwd }: ProgramOptions = {}): Program => {
  const child = spawn(command, args, { env: { ...shellEnvironment(), ...env }, cwd, detached: true, stdio: 'pipe' })
  running.add(child)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  let ending: Ending | undefined
  // `close` comes after the last of its output.
  once(child, 'close').then(([code, signal]) => {
    ending = { code, signal, ...written }
    running.delete(child)
  })
  const shown = `${command} ${args.join(' ')}`.slice(0, 100)
  return {
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    says: (pattern) =>
      waitFor(`${shown} to say ${pattern}`, () => {
        const found = written.stdout.match(pattern)
        if (found === null && ending !== undefined) throw new Error(`${shown} has ended: ${JSON.stringify(ending)}`)
        return found
      }),
    types: (line) => void child.stdin.write(`${line}\n`),
    interrupt: () => killGroup(child, 'SIGINT'),
    signal: (signal) => void child.kill(signal),
    hasEnded: () => ending !== undefined,
    ended: () => waitFor(`${shown} to end`, () => ending),
  }
}

/** Runs a program to its end. */
export const runProgram = (command: string, args: string[], options: ProgramOptions = {}): Promise<Ending> =>
  startProgram(command, args, options).ended()

/** The output of npm's program, without npm's own lines. */
export const withoutNpm = (stdout: string): string => stdout.replace(/^\n(> .*\n)+\n/, '')
