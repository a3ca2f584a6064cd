/** GetOutOfBandRecords: lists the invitations of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetOutOfBandRecords } from '../lib/interface/out-of-band.ts'
import { outOfBandRecords } from '../lib/records/kinds.ts'

export const getOutOfBandRecords = listOf(outOfBandRecords, GetOutOfBandRecords)
