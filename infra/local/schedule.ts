/** A schedule of EventBridge: invokes a function at a fixed rate, also after it has failed. */
import { pause, untilAborted } from './pause.ts'

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/
const MINUTES = { minute: 1, hour: 60, day: 24 * 60 }

/** Ms between two invocations of `rate(...)`. Throws for any other schedule. */
export const rateMs = (schedule: string): number => {
  const [, count, unit] = RATE.exec(schedule) ?? []
  const minutes = MINUTES[unit as keyof typeof MINUTES]
  if (minutes === undefined) throw new Error(`the local stage knows rate(...) only, not ${schedule}`)
  return Number(count) * minutes * 60_000
}

/** Runs until `signal` is aborted. Errors of the function are in the log. */
export const runSchedule = (schedule: string, invoke: () => Promise<unknown>, signal: AbortSignal): Promise<void> => {
  const rate = rateMs(schedule)
  return untilAborted(signal, async () => {
    for (;;) {
      await pause(rate, signal)
      await invoke().catch(() => {})
    }
  })
}
