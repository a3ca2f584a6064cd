/** The runs of the simulation, by name. */

import { runHostile, runTarpits, tarpitSize } from './hostile-receivers.ts'
import { BURST, DEAD, DEAD_EVENTS, EVENT_OUTAGE, eventSizeOf, OUTAGE, runOutage, sizeOf } from './outage.ts'
import { type Answer, REFUSED, STALLING, UNAVAILABLE } from './service.ts'

type Run = (scale: number) => Promise<object>

const outage =
  (failing: Answer | undefined): Run =>
  (scale) =>
    runOutage({ ...OUTAGE, size: sizeOf(scale), failing })

const events =
  (failing: Answer | undefined): Run =>
  (scale) =>
    runOutage({ ...EVENT_OUTAGE, size: eventSizeOf(scale), failing })

/** A mediator with an address for each wallet. */
const ownAddresses =
  (failing: Answer): Run =>
  (scale) =>
    runOutage({ ...OUTAGE, size: sizeOf(scale), failing, ownAddresses: true })

/** 100,000 messages, a connection each, for a mediator that stays down: what that costs. */
const dead =
  (failing: Answer): Run =>
  (scale) =>
    runOutage({ ...DEAD, size: { ...sizeOf(scale), messages: Math.max(10, 100_000 * scale) }, failing })

export const RUNS: Record<string, Run> = {
  alone: outage(undefined),
  refused: outage(REFUSED),
  503: outage(UNAVAILABLE),
  stalling: outage(STALLING),
  'loops detected': (scale) => runOutage({ ...OUTAGE, size: sizeOf(scale), failing: REFUSED, allowLoop: false }),
  'events alone': events(undefined),
  'events refused': events(REFUSED),
  'events 503': events(UNAVAILABLE),
  'events stalling': events(STALLING),
  'dead, refused': dead(REFUSED),
  'dead, 503': dead(UNAVAILABLE),
  'dead, stalling': dead(STALLING),
  'events dead, refused': (scale) => runOutage({ ...DEAD_EVENTS, size: eventSizeOf(scale), failing: REFUSED }),
  'all at once': () => runOutage({ ...BURST, failing: REFUSED }),
  'own addresses, 503': ownAddresses(UNAVAILABLE),
  'own addresses, stalling': ownAddresses(STALLING),
  'hostile 500': () => runHostile({ after: 20, status: 500 }),
  'hostile 503': () => runHostile(UNAVAILABLE),
  '130 hostile 503': () => runHostile(UNAVAILABLE, { hostile: 130 }),
  '45 hostile 503, own addresses': () => runHostile(UNAVAILABLE, { hostile: 45, ownAddresses: true }),
  '130 hostile 503, own addresses': () => runHostile(UNAVAILABLE, { hostile: 130, ownAddresses: true }),
  '130 hostile stalling, own addresses': () => runHostile(STALLING, { hostile: 130, ownAddresses: true }),
  'tarpits alone': (scale) => runTarpits({ ...tarpitSize(scale), tarpits: 0 }),
  tarpits: (scale) => runTarpits(tarpitSize(scale)),
  'tarpits at once': (scale) => runTarpits({ ...tarpitSize(scale), atOnce: 'new' }),
  'tarpits at once, primed': (scale) => runTarpits({ ...tarpitSize(scale), atOnce: 'primed' }),
}
