/** The invariants of a world of deliveries, at each moment and at the end. */

import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { MESSAGE_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { destinationAddress, laneAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { isForLane } from '../../../lib/outbox/wake-ups/wake-up.ts'
import type { Attempted, World } from './worlds.ts'

/**
 * A lane with items that nothing would ever wake again. The wake-up that its holder has received does not count, unless
 * a commit has sent it: a repetition of it may have no effect.
 */
export const forgottenIn = (world: World): string | undefined => {
  const queued = world.messages.map(({ wakeUp }) => wakeUp)
  const received = world.processes.map(({ process: { start } }) => start)
  const isWoken = (lane: string): boolean => {
    const item = world.get(laneAddress(lane))
    const { lease, dueAt, waitsFor, waiting } = item === undefined ? {} : laneItem.decode(item)
    if (dueAt !== undefined || queued.some((wakeUp) => isForLane(wakeUp) && wakeUp.lane === lane)) return true
    const isHandled = received.some(
      ({ name, wakeUp }) =>
        isForLane(wakeUp) && wakeUp.lane === lane && (name !== lease || wakeUp.reason.kind === 'committed'),
    )
    if (isHandled || waitsFor === undefined) return isHandled
    const isListed = world.items.some(({ kind, entry }) => kind?.S === 'waiting-lane' && entry?.S === waiting)
    const isDue = world.get(destinationAddress(waitsFor))?.dueAt !== undefined
    const wakeUps = [...queued, ...received.map(({ wakeUp }) => wakeUp)]
    return isListed && (isDue || wakeUps.some((wakeUp) => !isForLane(wakeUp) && wakeUp.destination === waitsFor))
  }
  const lanes = new Set(world.items.flatMap((item) => (outboxItem.is(item) ? [item.pk?.S ?? ''] : [])))
  return [...lanes].find((lane) => !isWoken(lane))
}

/** The violation at the end. `failures`: of the receivers, at first. */
export const wrongInTheEnd = (world: World, items: readonly Attempted[], failures: number): string | undefined => {
  const rows = world.items
  const givenUp = rows.flatMap((item) => (outcomeItem.is(item) ? [outcomeItem.decode(item)] : []))
  const isOver = (id: string): boolean =>
    givenUp.some((one) => one.id === id && Date.parse(one.endedAt) >= Date.parse(one.createdAt) + MESSAGE_PLAN.lifetime)
  const taken = [...new Set(world.taken.map(({ lane, id }) => `${lane} ${id}`))]
  const lost = items.find(({ lane, id }) => !taken.includes(`${lane} ${id}`) && !isOver(id))
  if (lost !== undefined) return `${lost.id} is lost`
  const left = rows.find(
    ({ kind, dueAt }) => ['outbox', 'lane', 'waiting-lane'].includes(kind?.S ?? '') || dueAt !== undefined,
  )
  if (left !== undefined) return `left: ${left.pk?.S} ${left.sk?.S}`
  for (const lane of new Set(items.map((item) => item.lane))) {
    const ids = [...new Set(world.taken.flatMap((one) => (one.lane === lane ? [one.id] : [])))]
    if (ids.some((id, index) => ids.slice(0, index).some((earlier) => world.comesBefore(id, earlier))))
      return `out of order: ${ids}`
  }
  if (world.attempts.length > items.length + failures + world.troubles) return 'more attempts than it takes'
  return undefined
}
