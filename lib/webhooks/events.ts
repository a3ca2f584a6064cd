/** Which facts a change of the table is: a pure function of the old and the new image of its item. */
import type { DynamoDBRecord } from 'aws-lambda'
import { outboxItem, outcomeItem } from '../outbox/message-item.ts'
import { endpointFacts } from './endpoint-facts.ts'
import { endpointItem } from './endpoint-item.ts'
import type { Change, Fact } from './fact.ts'
import { outcomeFacts, sentFacts } from './message-facts.ts'
import { recordFacts } from './record-facts.ts'

/** By the `kind` of the item. */
const FACTS: Record<string, (change: Change) => Fact[]> = {
  record: recordFacts,
  [outboxItem.kind]: sentFacts,
  [outcomeItem.kind]: outcomeFacts,
  [endpointItem.kind]: endpointFacts,
}

/** The facts of a change, mostly none. Throws where an image is not what its kind says. */
export const factsOf = ({ eventName, dynamodb }: DynamoDBRecord): Fact[] => {
  const after = dynamodb?.NewImage
  const facts = FACTS[after?.kind?.S ?? '']
  if (after === undefined || facts === undefined) return []
  const before = eventName === 'MODIFY' ? dynamodb?.OldImage : undefined
  return facts({ after, before, notedAt: dynamodb?.ApproximateCreationDateTime ?? Number.NaN })
}
