/** The table fails at each single request of a probe and of the releases after it: no lane is lost. */
import { describe, expect, test } from 'vitest'
import { dynamodb } from '../../../lib/store/client.ts'
import { FAULTS, StoreFaults } from '../../support/table/store-fault.ts'
import { answered, failing, STRIKES, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()
const faults = new StoreFaults(dynamodb())

const SECOND = 1_000
const MINUTE = 60 * SECOND
let made = 0

describe('a probe that opens', () => {
  test.each(STRIKES)('loses no lane if a request %s', async (fault) => {
    const kind = FAULTS[fault]
    if (kind === undefined) throw new Error('unknown failure')
    for (let at = 1; ; at++) {
      scene.accepted.length = 0
      scene.waiting.length = 0
      const origin = `https://wallet-${made++}.example`
      scene.respond = () => failing('connect')
      const lanes = [scene.newLane(), scene.newLane()]
      for (const to of lanes) await scene.send(to, to.lane, { origin })
      await scene.handleAll()
      scene.respond = () => answered(200)
      scene.now += 3 * SECOND
      const act = async () => {
        for (
          let one = scene.waiting.shift();
          one !== undefined && scene.accepted.length < 2;
          one = scene.waiting.shift()
        ) {
          if (one.at + one.delaySeconds * SECOND > scene.now) scene.now = one.at + one.delaySeconds * SECOND
          await scene.handleOrRepeat(one)
        }
      }
      const { injected } = await faults.inject(at, kind, act)
      await scene.pass(8 * MINUTE)
      expect(await scene.left(), `request ${at}`).toEqual([])
      expect(new Set(scene.accepted), `request ${at}`).toEqual(new Set(lanes.map(({ lane }) => lane)))
      if (!injected) break
    }
  })
})
