/** Functions of OpenID4VC that are measured, and the next call of each. */

import { functionOf } from '../source/operation-functions.ts'
import type { Call, InProcessStage } from '../stage/in-process-stage.ts'
import type { BundledStage } from './bundled-stage.ts'

export interface MeasuredCall {
  /** Of the function. */
  name: string
  /** What distinguishes the call from others of the function. */
  what?: string
  /** Ms of a processor: warm, and cold beyond those of the function that only reads; absent: not measured. */
  most: { warm?: number; cold?: number }
  /** The next call, which is valid once: for `gatewayEvent`, or the event itself. */
  next: () => Promise<object>
}

export interface MeasuredFlow {
  calls: MeasuredCall[]
  stop(): void
}

/** The operations as the wallets and tenants of tests call them. */
export const callsOf = (stage: BundledStage) =>
  ({
    call: (operation: string, { headers = {}, ...call }: Call = {}) => {
      const { 'content-type': type, authorization, ...others } = headers
      return stage.call(functionOf(operation), {
        ...call,
        headers: {
          ...others,
          ...(type !== undefined && { 'Content-Type': type }),
          ...(authorization !== undefined && { Authorization: authorization }),
        },
      })
    },
  }) as InProcessStage

/** The last event of a function, as a call of another one. */
export const lastOf = (stage: BundledStage, name: string): object => stage.events.get(name) as object
