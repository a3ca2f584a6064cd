/**
 * Lambda's runtime in small: loads a handler, says that it is ready, then takes one event at a time and is frozen in between. Plain JavaScript
 * that imports next to nothing, so that a start costs only what the function costs.
 */
import { readSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** File descriptors: stdin, and one of its own, since functions log to stdout. */
const EVENTS = 0
const ANSWERS = 3

/** The remaining time that the function sees, in ms. */
const REMAINING = 25_000

const NEWLINE = 10

const say = (message) => {
  const { user, system } = process.cpuUsage()
  const bytes = Buffer.from(`${JSON.stringify({ ...message, cpuMs: (user + system) / 1000 })}\n`)
  for (let written = 0; written < bytes.length; ) written += writeSync(ANSWERS, bytes, written)
}

let rest = Buffer.alloc(0)
/** The next line; undefined at the end. Blocks the whole process, as Lambda freezes it. */
const nextEvent = () => {
  for (;;) {
    const end = rest.indexOf(NEWLINE)
    if (end >= 0) {
      const line = rest.toString('utf8', 0, end)
      rest = rest.subarray(end + 1)
      return JSON.parse(line)
    }
    const chunk = Buffer.alloc(65_536)
    const length = readSync(EVENTS, chunk)
    if (length === 0) return undefined
    rest = Buffer.concat([rest, chunk.subarray(0, length)])
  }
}

const [, , module, name] = process.argv
const { [name]: handler } = await import(module)
if (typeof handler !== 'function') throw new Error(`${module} exports no function ${name}`)
say({ ready: true })

/** Bytes in use of what V8 and the modules have allocated, and the resident memory of the process. */
const memory = () => {
  // Buffers are freed in the background: the second collection waits for those of the first.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { used: heapUsed + external, rss }
}

const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => REMAINING }
for (let event = nextEvent(); event !== undefined; event = nextEvent()) {
  try {
    say({ answer: event === 'memory' ? memory() : ((await handler(event, context)) ?? null) })
  } catch (error) {
    say({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
  }
  // Sockets that closed while the process was frozen are noticed before the next event, as after a thaw.
  await delay(0)
}
// A process writes its compile cache when it ends normally.
process.exit(0)
