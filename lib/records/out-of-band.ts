/** The out-of-band record (Aries RFC 0434): its schema and how a stored one is shown. */
import * as v from 'valibot'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

export const OUT_OF_BAND_STATES = ['initial', 'await-response', 'prepare-response', 'done'] as const
export const OUT_OF_BAND_ROLES = ['sender', 'receiver'] as const

export const OutOfBandRecord = recordSchema({
  outOfBandInvitation: v.looseObject({ '@type': v.string(), '@id': v.string() }),
  state: v.picklist(OUT_OF_BAND_STATES),
  role: v.picklist(OUT_OF_BAND_ROLES),
  _tags: v.looseObject({ state: v.picklist(OUT_OF_BAND_STATES), role: v.picklist(OUT_OF_BAND_ROLES) }),
})

export type OutOfBandRecord = v.InferOutput<typeof OutOfBandRecord>

export const toOutOfBandJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
