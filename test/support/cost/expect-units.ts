/** Compares a measurement with a row of docs/cost.md. */
import { expect } from 'vitest'
import type { Units } from '../table/consumed-units.ts'
import type { Row } from './document.ts'

export const expectUnits = (measured: Units | undefined, { read, write, http }: Row): void => {
  // Cached destinations are read again after some seconds; in a flow concurrent invocations read again.
  const isFlow = http > 1
  expect(measured?.read).toBeLessThanOrEqual(http === 1 ? read : read * (isFlow ? 1.6 : 1) + 1)
  expect(measured?.write).toBeLessThanOrEqual(write * (isFlow ? 1.2 : 1))
  // The document does not state more than was measured, either.
  expect(measured?.write).toBeGreaterThanOrEqual(write * (isFlow ? 0.8 : 1))
}
