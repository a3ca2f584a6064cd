/** Which functions have AnonCreds' native library and did:webvh, by the names of their files. All others are bundled without it and what binds it. */

const WITH_LIBRARY = new Set(['create-offer', 'create-offer-oob', 'receive-didcomm', 'run-jobs'])

/** They read or publish what a did:webvh attests, and call no library. */
const WITH_WEBVH = new Set([
  'create-credential-definition',
  'create-schema',
  'get-credential-definition-by-id',
  'get-schema-by-id',
])

const nameOf = (entry: string): string => entry.match(/([^/]+?)(?:\.ts)?$/)?.[1] ?? ''

/** `entry` is the path of a function's module. */
export const needsLibrary = (entry: string): boolean => WITH_LIBRARY.has(nameOf(entry))

/** Whether the function reads others' did:webvh or makes one; all that have the library do. */
export const needsWebvh = (entry: string): boolean => needsLibrary(entry) || WITH_WEBVH.has(nameOf(entry))
