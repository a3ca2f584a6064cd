/** Holds what was measured against a row of docs/cost.md. */
import { expect } from 'vitest'
import type { Units } from '../table/consumed-units.ts'
import type { Row } from './document.ts'

export const expectUnits = (measured: Units | undefined, { read, write, http }: Row): void => {
  // What is known of destinations is read again after some seconds; in a flow invocations that meet read again.
  const isFlow = http > 1
  expect(measured?.read).toBeLessThanOrEqual(http === 1 ? read : read * (isFlow ? 1.6 : 1) + 1)
  expect(measured?.write).toBeLessThanOrEqual(write * (isFlow ? 1.2 : 1))
  // The document does not say more than there is, either.
  expect(measured?.write).toBeGreaterThanOrEqual(write * (isFlow ? 0.8 : 1))
}
