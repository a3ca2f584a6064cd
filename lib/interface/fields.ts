/** The building blocks of request schemas: objects of exactly these fields, and strings that end somewhere. */
import * as v from 'valibot'

type Run<S extends v.GenericSchema> = S['~run']

/** valibot takes an array for an object; JSON does not. Wraps a schema of objects before any check sees what became of the array. */
export const noArray = <S extends v.GenericSchema>(schema: S): S => {
  const run: Run<S> = schema['~run']
  return Object.assign(schema, {
    '~run': (...[dataset, config]: Parameters<Run<S>>) =>
      run.call(schema, Array.isArray(dataset.value) ? { value: 'array' } : dataset, config),
  })
}

/** Whatever JSON object. */
export const JsonObject = noArray(v.record(v.string(), v.unknown()))

/**
 * An object of exactly these fields. valibot's `strictObject` names only the first field that it does not know; a caller is to be
 * told of all of them.
 */
export const exactly = <const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.StrictObjectSchema<Entries, undefined> => {
  const schema = v.strictObject(entries)
  const run = schema['~run']
  return noArray(
    Object.assign(schema, {
      '~run': (...[dataset, config]: Parameters<typeof run>): ReturnType<typeof run> => {
        const output = run.call(schema, dataset, config)
        const first = output.issues?.find((issue) => issue.expected === 'never' && issue.path?.length === 1)
        const item = first?.path?.[0]
        if (first === undefined || item?.type !== 'object') return output
        const [, ...more] = Object.keys(item.input).filter((key) => !Object.hasOwn(entries, key))
        for (const key of more) output.issues?.push({ ...first, path: [{ ...item, key, value: item.input[key] }] })
        return output
      },
    }),
  )
}

/** A string of 1 to `max` UTF-16 code units. */
export const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max))

/** Something URI-like, as Credo takes it (Credo's `UriValidator`), of at most 2,048 characters. */
export const Uri = v.pipe(text(2048), v.regex(/^\w+:\S+$/, 'must be a URI'))

/** A DID (DID Core, section 3.1). A did:peer:4 in its long form is over 1,000 characters. */
export const Did = v.pipe(text(4096), v.regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/, 'must be a DID'))

/** Id of a message or a thread (Aries RFC 0008), or a DID: what Credo's wallets take for a parent thread, and no more. */
export const ThreadId = v.pipe(
  text(1024),
  v.regex(
    /^(?:[-_./A-Za-z0-9]{8,64}|did:[a-z0-9]+:[A-Za-z0-9.-]+(?::[A-Za-z0-9._-]+)*)$/,
    'must be 8 to 64 characters of A-Z a-z 0-9 - _ . / or a DID',
  ),
)

/** An address that somebody else may fetch; we never do. */
export const HttpUrl = v.pipe(
  text(2048),
  v.check((address) => /^https?:\/\/\S+$/i.test(address) && URL.canParse(address), 'must be an http(s) URL'),
  v.metadata({ format: 'uri' }),
)

/** Auto-acceptance in Credo's words. */
export const AutoAccept = v.picklist(['always', 'contentApproved', 'never'])
