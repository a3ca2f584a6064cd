/** Records of the base agent as they lie in the table, for what no operation shows. */
import { toRecordJson } from '../../../lib/records/record-json.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'
import { requireRecord } from '../../../lib/store/record-reads.ts'

export const readRecord = async (type: string, id: string) => toRecordJson(await requireRecord(BASE_AGENT, type, id))
