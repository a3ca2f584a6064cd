/**
 * Reads the failed items from a function's result for a batch.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
import * as v from 'valibot'

const Report = v.nullish(
  v.object({
    batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.pipe(v.string(), v.minLength(1)) })), []),
  }),
)

/**
 * Identifiers of the failed items. Throws if the result is not a report: then, as on AWS, the whole batch has failed.
 */
export const failedItems = (result: unknown, functionResponseType: string | undefined): Set<string> => {
  if (functionResponseType !== 'ReportBatchItemFailures') return new Set()
  const report = v.parse(Report, result)
  return new Set(report?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
}
