/** What X-Ray is told of a call to DynamoDB: a subsegment, sent to the daemon that Lambda runs beside the function. */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { settings, traceHeader } from '../settings.ts'

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
const HEADER = /Root=(?<root>1-[0-9a-f]{8}-[0-9a-f]{24});.*Parent=(?<parent>[0-9a-f]{16});.*Sampled=1/

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html */
const PREAMBLE = '{"format": "json", "version": 1}\n'

/** Runs a call, and tells how long it took and whether it failed. Nothing of what was asked or answered is told. */
export const traced = async <T>(operation: string, call: () => Promise<T>): Promise<T> => {
  const { root, parent } = HEADER.exec(traceHeader())?.groups ?? {}
  if (root === undefined || parent === undefined) return call()
  const startedAt = Date.now()
  let fault = false
  try {
    return await call()
  } catch (error) {
    fault = true
    throw error
  } finally {
    tell({
      ...{ name: 'DynamoDB', namespace: 'aws', type: 'subsegment' },
      ...{ id: randomBytes(8).toString('hex'), trace_id: root, parent_id: parent },
      ...{ start_time: startedAt / 1000, end_time: Date.now() / 1000, fault },
      aws: { operation, table_name: settings().TABLE_NAME },
    })
  }
}

let socket: Socket | undefined

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html */
const tell = (subsegment: object): void => {
  const [host = '', port] = settings().AWS_XRAY_DAEMON_ADDRESS.split(':')
  // A trace that is lost is no reason to fail, nor to keep a process.
  socket ??= createSocket('udp4').on('error', () => {})
  socket.unref()
  socket.send(PREAMBLE + JSON.stringify(subsegment), Number(port), host, () => {})
}
