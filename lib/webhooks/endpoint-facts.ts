/** Which facts the change of a registration is: an endpoint was disabled. */
import { shownInImage } from './endpoint-item.ts'
import { type Change, type Fact, timeOf } from './fact.ts'

/** Throws where the image is no endpoint's. */
export const endpointFacts = (change: Change): Fact[] => {
  const { before, after } = change
  const previousState = before?.status?.S
  if (after.status?.S !== 'disabled' || previousState === 'disabled') return []
  const { version, ...record } = shownInImage(after)
  return [
    {
      type: 'endpoint.disabled',
      of: { orgId: record.orgId, endpointId: record.id },
      recordId: record.id,
      sequence: version,
      ...(previousState !== undefined && { previousState }),
      occurredAt: timeOf([record.disabledAt, record.updatedAt], change),
      record,
    },
  ]
}
