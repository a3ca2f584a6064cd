/** Schemas of DynamoDB's attribute values, for items that are read behind a schema. */
import * as v from 'valibot'

export const text = v.pipe(
  v.object({ S: v.string() }),
  v.transform(({ S }) => S),
)

export const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
)
