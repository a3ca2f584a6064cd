/** What a function says of its batch, read as Lambda reads it. */
import { describe, expect, test } from 'vitest'
import { failedItems } from '../../../infra/local/batch-failures.ts'

const REPORTS = 'ReportBatchItemFailures'

describe('nothing has failed', () => {
  test.each([undefined, null, {}, { batchItemFailures: null }, { batchItemFailures: [] }, { other: 'field' }])(
    'by %j',
    (answer) => {
      expect(failedItems(answer, REPORTS)).toEqual(new Set())
    },
  )

  test.each([undefined, 'x', 5, { batchItemFailures: [{ itemIdentifier: 'a' }] }])(
    'whatever a function answers that does not report: %j',
    (answer) => {
      expect(failedItems(answer, undefined)).toEqual(new Set())
    },
  )
})

test('the items that it names have failed, each once', () => {
  const answer = { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'b' }, { itemIdentifier: 'a' }] }
  expect(failedItems(answer, REPORTS)).toEqual(new Set(['a', 'b']))
})

describe('the whole batch has failed', () => {
  test.each([
    'done',
    42,
    { batchItemFailures: 'a' },
    { batchItemFailures: ['a'] },
    { batchItemFailures: [{}] },
    { batchItemFailures: [{ itemIdentifier: null }] },
    { batchItemFailures: [{ itemIdentifier: '' }] },
    { batchItemFailures: [{ itemIdentifier: 'a' }, { messageId: 'b' }] },
  ])('by a result that is not a report: %j', (answer) => {
    expect(() => failedItems(answer, REPORTS)).toThrow()
  })
})
