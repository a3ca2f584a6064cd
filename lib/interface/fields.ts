/** The building blocks of request schemas: objects of exactly these fields, and strings that end somewhere. */
import * as v from 'valibot'

/**
 * An object of exactly these fields. valibot's `strictObject` takes an array for an object and names only the first field that it
 * does not know; a caller is to be told of all of them.
 */
export const exactly = <const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.StrictObjectSchema<Entries, undefined> => {
  const schema = v.strictObject(entries)
  const run = schema['~run']
  return Object.assign(schema, {
    '~run': (
      dataset: v.UnknownDataset,
      config: v.Config<v.BaseIssue<unknown>>,
    ): ReturnType<v.StrictObjectSchema<Entries, undefined>['~run']> => {
      const input = dataset.value
      if (Array.isArray(input)) return run.call(schema, { value: 'array' }, config)
      const output = run.call(schema, dataset, config)
      const first = output.issues?.find((issue) => issue.expected === 'never' && issue.path?.length === 1)
      const item = first?.path?.[0]
      if (first === undefined || item?.type !== 'object') return output
      const [, ...more] = Object.keys(item.input).filter((key) => !Object.hasOwn(entries, key))
      for (const key of more) output.issues?.push({ ...first, path: [{ ...item, key, value: item.input[key] }] })
      return output
    },
  })
}

/** A string of 1 to `max` UTF-16 code units. */
export const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max))

/** Something URI-like, as Credo takes it (Credo's `UriValidator`), of at most 2,048 characters. */
export const Uri = v.pipe(text(2048), v.regex(/^\w+:\S+$/, 'must be a URI'))

/** A DID (DID Core, section 3.1). A did:peer:4 in its long form is over 1,000 characters. */
export const Did = v.pipe(text(4096), v.regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/, 'must be a DID'))

/** An address that somebody else may fetch; we never do. */
export const HttpUrl = v.pipe(
  text(2048),
  v.regex(/^https?:\/\/[^\s]+$/i, 'must be an http(s) URL'),
  v.check((url) => URL.canParse(url), 'must be an http(s) URL'),
)

/** Auto-acceptance in Credo's words. */
export const AutoAccept = v.picklist(['always', 'contentApproved', 'never'])
