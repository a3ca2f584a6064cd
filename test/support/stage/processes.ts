/** The processes of this machine by Linux's /proc: which ones a program started, and whether they still exist. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  pid: number
  parent: number
  /** Ticks since the machine started: a number that is used again later is another process. */
  startedAt: string
  command: string
}

/** A zombie has ended, though its parent has not read its exit status. */
const ENDED = ['Z', 'X']

/** From the third on: the second is the program's name in parentheses, which may hold anything. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const statFields = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Undefined: the process does not exist, or has ended. */
const processOf = (pid: number): Process | undefined => {
  try {
    const [state = '', parent, ...others] = statFields(pid)
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return ENDED.includes(state) ? undefined : { pid, parent: Number(parent), startedAt: others[17] ?? '', command }
  } catch {
    return undefined
  }
}

/** The process and all its descendants. */
export const processTree = (root: number): Process[] => {
  const all = readdirSync('/proc')
    .map(Number)
    .flatMap((pid) => (Number.isInteger(pid) ? (processOf(pid) ?? []) : []))
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)])
  return [...all.filter(({ pid }) => pid === root), ...below(root)]
}

/** Those that still exist. */
export const stillRunning = (processes: Process[]): Process[] =>
  processes.filter(({ pid, startedAt }) => processOf(pid)?.startedAt === startedAt)

/** The embedded databases that this process has started; not the shell that ends one, which briefly has the same command. */
export const embeddedDatabases = (): Process[] =>
  processTree(process.pid).filter(({ command }) => /^\S*dynoxide serve /.test(command))

/** Linux counts processor time in ticks of this length. */
const TICK_MS = 10

/** Processor time of a process until now, its threads that have ended included, in ms. */
export const cpuMs = (pid: number): number => {
  const [, , , , , , , , , , , user, system] = statFields(pid)
  return (Number(user) + Number(system)) * TICK_MS
}
