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

/** The stored form, with the time of its last change. */
export const StoredDelivery = v.object({ ...Delivery.entries, at: Timestamp })
export type StoredDelivery = v.InferOutput<typeof StoredDelivery>

const metadataOf = ({ metadata }: RecordJson): Record<string, unknown> => (isObject(metadata) ? metadata : {})

/** `delivery`: the current one; the record itself holds the delivery at the time of sending. */
export const toBasicMessageJson = ({
  delivery,
  ...stored
}: RecordContent & { delivery?: StoredDelivery | undefined }): RecordJson => {
  const json = toRecordJson(stored)
  if (delivery === undefined) return json
  const { at: _, ...shown } = delivery
  return { ...json, metadata: { ...metadataOf(json), [DELIVERY]: shown } }
}

/** The state of the delivery that a basic message shows; undefined for a received one. */
const deliveryStateOf = (json: RecordJson): unknown => {
  const delivery = metadataOf(json)[DELIVERY]
  return isObject(delivery) ? delivery.state : undefined
}

/** Whether the delivery of a basic message ended in this state with this change. */
export const hasDeliveryEndedAs =
  (state: Delivery['state']) =>
  (after: RecordJson, before: RecordJson | undefined): boolean =>
    before !== undefined && deliveryStateOf(after) === state && deliveryStateOf(before) !== state
