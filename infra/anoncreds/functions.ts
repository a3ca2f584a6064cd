/** Which functions have AnonCreds' native library, by the names of their files. All others are bundled without it and what binds it. */

const WITH_LIBRARY = new Set(['create-offer', 'create-offer-oob', 'receive-didcomm', 'run-jobs'])

/** `entry` is the path of a function's module. */
export const needsLibrary = (entry: string): boolean => {
  const [, name = ''] = entry.match(/([^/]+?)(?:\.ts)?$/) ?? []
  return WITH_LIBRARY.has(name)
}
