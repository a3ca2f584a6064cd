/** Which facts the change of a registration is: an endpoint was disabled. */
import * as v from 'valibot'
import { type Change, Count, type Fact, Text, timeOf } from './fact.ts'

const Told = v.optional(Text)

/** What is shown of an endpoint. The image has its secrets too, sealed; they are not read. */
const EndpointImage = v.object({
  id: Text,
  orgId: Text,
  sk: v.object({ S: v.picklist(['notification', 'webhook']) }),
  url: Text,
  status: Text,
  createdAt: Text,
  updatedAt: Text,
  failingSince: Told,
  lastSuccessAt: Told,
  lastFailureAt: Told,
  lastError: Told,
  disabledAt: Told,
  disabledReason: Told,
})

/** Throws where the image is no endpoint's. */
export const endpointFacts = (change: Change): Fact[] => {
  const { before, after } = change
  const previousState = before?.status?.S
  if (after.status?.S !== 'disabled' || previousState === 'disabled') return []
  const { sk, ...shown } = v.parse(EndpointImage, after)
  const entries = Object.entries({ ...shown, kind: sk }).flatMap(([name, value]) => (value ? [[name, value.S]] : []))
  return [
    {
      type: 'endpoint.disabled',
      of: { orgId: shown.orgId.S, endpointId: shown.id.S },
      recordId: shown.id.S,
      sequence: Number(v.parse(Count, after.version).N),
      ...(previousState !== undefined && { previousState }),
      occurredAt: timeOf([shown.disabledAt?.S, shown.updatedAt.S], change),
      record: Object.fromEntries(entries),
    },
  ]
}
