/** A step of a deployment, and how its commands must end. */
import { strict as assert } from 'node:assert'
import type { Ended } from './operator.ts'
import type { World } from './world.ts'

export interface Step {
  /** A sentence of behaviour. */
  title: string
  /** Rejects when it does not hold. */
  run(world: World): Promise<void>
}

export const required = (value: string | undefined, what: string): string => {
  assert.ok(value, `there is no ${what}`)
  return value
}

export const succeeds = ({ code, output }: Ended): string => {
  assert.equal(code, 0, output.slice(-1500))
  return output
}

export const failsWith = ({ code, output }: Ended, says: RegExp): void => {
  assert.notEqual(code, 0, output.slice(-1500))
  assert.match(output, says)
}
