/** Cursors of lists: opaque, signed, and good only for the tenant and the query that they were made for. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { dynamodb } from './client.ts'
import { CURSOR_KEY_ADDRESS } from './keys.ts'
import { getItem, toKey, translateFault } from './table.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 16

let key: Promise<Uint8Array> | undefined

/** `scope` says which tenant and query the cursor belongs to; `position` is the sort key to go on after. */
export const signCursor = async (scope: string, position: string): Promise<string> =>
  Buffer.concat([signature(await cursorKey(), scope, position), Buffer.from(position)]).toString('base64url')

/** The position in a cursor. Throws `request.malformed` where it was altered or made for something else. */
export const openCursor = async (scope: string, cursor: string): Promise<string> => {
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(SIGNATURE_BYTES).toString()
  const signed = bytes.subarray(0, SIGNATURE_BYTES)
  const expected = signature(await cursorKey(), scope, position)
  if (bytes.toString('base64url') !== cursor || signed.length !== SIGNATURE_BYTES || !timingSafeEqual(signed, expected))
    throw new AgentError('request.malformed', 'the cursor is not one of this list')
  return position
}

const signature = (secret: Uint8Array, scope: string, position: string): Uint8Array =>
  createHmac('sha256', secret)
    .update(JSON.stringify([scope, position]))
    .digest()
    .subarray(0, SIGNATURE_BYTES)

/** One key for the stage, made by whoever needs it first. It protects no secret: it keeps cursors from being forged. */
const cursorKey = (): Promise<Uint8Array> => {
  key ??= readOrMakeKey().catch((error) => {
    key = undefined
    throw error
  })
  return key
}

const readOrMakeKey = async (): Promise<Uint8Array> => {
  const stored = await getItem(CURSOR_KEY_ADDRESS)
  if (stored?.key?.B !== undefined) return stored.key.B
  const made = randomBytes(KEY_BYTES)
  try {
    const Item = { ...toKey(CURSOR_KEY_ADDRESS), kind: { S: 'cursor-key' }, key: { B: made } }
    await dynamodb().send(
      new PutItemCommand({ TableName: settings().TABLE_NAME, Item, ConditionExpression: 'attribute_not_exists(pk)' }),
    )
    return made
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return readOrMakeKey()
    throw translateFault(error)
  }
}
