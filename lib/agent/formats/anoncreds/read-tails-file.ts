/**
 * Reads tails files, with which a holder proves that a credential is not revoked: fetched through the address guard,
 * and checked at each use.
 */
import { hash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnonCredsRevocationRegistryDefinition } from '@credo-ts/anoncreds'
import { CredoError, TypedArrayEncoder } from '@credo-ts/core'
import { follow } from '../../../egress/follow.ts'
import { describeUnread } from '../../../egress/post.ts'
import { readTailsFile } from '../../../revocation/tails-file.ts'
import { settings } from '../../../settings.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { recordUnreadable } from '../../web/index.ts'

/** Size of a file in bytes: a version of 2 bytes, two points of 128 bytes for each credential, and one more point. */
const sizeOf = (maxCredNum: number): number => 2 * 128 * maxCredNum + 128 + 2
/** Points look random, so a content coding makes them longer, by five bytes per block (RFC 1951, section 3.2.4). */
const codedSizeOf = (bytes: number): number => Math.ceil(bytes * 1.05) + 1024
const MAX_BYTES = 10 * 1024 * 1024
/** Maximum number of files in the cache. Lambda's /tmp has 512 MB. */
const MAX_FILES = 10
/** Time limit in ms for all files of a message. */
const MAX_MS = 5_000
/** As for other documents. */
const MAX_REDIRECTS = 3

const TIME_BUDGET = Symbol('time budget of tails files')

export const TAILS_FOLDER = join(tmpdir(), 'serverless-agent-tails')

/** The path of a file with the hash of the registry's definition. Throws a CredoError. */
export const tailsFileOf = async ({ value }: AnonCredsRevocationRegistryDefinition): Promise<string> => {
  const { tailsHash, tailsLocation, maxCredNum } = value
  assertHash(tailsHash)
  const path = join(TAILS_FOLDER, tailsHash)
  const cached = await readFile(path).catch(() => undefined)
  if (cached === undefined || hashOf(cached) !== tailsHash) {
    const content = await fetchFile(tailsHash, tailsLocation, Math.min(MAX_BYTES, sizeOf(maxCredNum)))
    if (hashOf(content) !== tailsHash) throw new CredoError('the tails file is not the one of the registry')
    await cacheFile(path, content)
  }
  return path
}

/** The hash, which an unknown issuer chooses, becomes the name of the file. */
const assertHash = (tailsHash: string): void => {
  const isHash =
    /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(tailsHash) && TypedArrayEncoder.fromBase58(tailsHash).length === 32
  if (!isHash) throw new CredoError('the tails hash of the registry is not a SHA-256 in base58')
}

const hashOf = (content: Uint8Array): string => TypedArrayEncoder.toBase58(hash('sha256', content, 'buffer'))

const fetchFile = async (tailsHash: string, url: string, maxBytes: number): Promise<Uint8Array> => {
  if (url.startsWith(`${settings().PUBLIC_URL}/`)) {
    const unit = currentUnit()
    const content = await readTailsFile(tailsHash, (partition) => unit.queryAll(partition))
    if (content === undefined) throw new CredoError('there is no such tails file')
    return content
  }
  const timeBudget = currentUnit().moduleState(TIME_BUDGET, () => ({ milliseconds: MAX_MS }))
  const bounds = { ...timeBudget, bytes: codedSizeOf(maxBytes) }
  const outcome = await follow(url, { accept: 'application/octet-stream', bounds, redirects: MAX_REDIRECTS })
  if (outcome === undefined) throw recordUnreadable('fetching the tails files takes too long', URL.parse(url)?.host)
  timeBudget.milliseconds = bounds.milliseconds
  const { status, failure, bytes = new Uint8Array() } = outcome
  // Permanent errors: the file does not exist, is too large, or the address guard rejects its host.
  if (status === 404 || status === 410 || failure === 'address' || bounds.bytes < 0 || bytes.length > maxBytes)
    throw new CredoError(`no tails file at its address: ${failure ?? status}`)
  if (status !== 200 || failure !== undefined)
    throw recordUnreadable(`no tails file at its address: ${describeUnread(outcome)}`, URL.parse(url)?.host)
  return bytes
}

/** Renames the complete file, because another request may be reading it, and deletes the oldest files. */
const cacheFile = async (path: string, content: Uint8Array): Promise<void> => {
  await mkdir(TAILS_FOLDER, { recursive: true, mode: 0o700 })
  const files = await Promise.all(
    (await readdir(TAILS_FOLDER)).map(async (name) => {
      const file = join(TAILS_FOLDER, name)
      return { file, changedAt: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 }
    }),
  )
  const oldest = files.sort((a, b) => b.changedAt - a.changedAt).slice(MAX_FILES - 1)
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })))
  const part = `${path}.${randomUUID()}`
  await writeFile(part, content, { mode: 0o600 })
  await rename(part, path)
}
