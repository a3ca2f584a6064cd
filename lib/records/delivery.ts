/** The delivery of a sent basic message, which is shown in its metadata. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { type RecordContent, type RecordJson, Timestamp, toRecordJson } from './record-json.ts'

/** Name of the delivery in the metadata of a sent message. */
export const DELIVERY = '_agent/delivery'

const DELIVERY_STATES = ['pending', 'waiting-for-pickup', 'delivered', 'failed'] as const

export const Delivery = v.object({
  /** `waiting-for-pickup`: the wallet has no endpoint and fetches its messages. */
  state: v.picklist(DELIVERY_STATES),
  /** Finished attempts. */
  attempts: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Error of the last failed attempt. */
  lastError: v.optional(v.string()),
  /** Only while pending, after a failed attempt. */
  nextAttemptAt: v.optional(Timestamp),
  deliveredAt: v.optional(Timestamp),
})
export type Delivery = v.InferOutput<typeof Delivery>

/** The record with this delivery in its metadata. */
export const withDelivery = <T extends Record<string, unknown>>(json: T, delivery: Delivery): T => ({
  ...json,
  metadata: { ...(isObject(json.metadata) ? json.metadata : {}), [DELIVERY]: delivery },
})

/** `delivery`: the current one; the record itself holds the delivery at the time of sending. */
export const toBasicMessageJson = ({
  delivery,
  ...stored
}: RecordContent & { delivery?: Delivery | undefined }): RecordJson => {
  const json = toRecordJson(stored)
  return delivery === undefined ? json : withDelivery(json, delivery)
}
