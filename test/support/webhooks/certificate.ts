/** Self-signed certificates for test servers: a minimal X.509 v3 certificate, written in DER. */
import { generateKeyPairSync, sign } from 'node:crypto'

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Uint8Array[]) => tlv(0x30, ...parts)
const objectId = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const text = (value: string) => tlv(0x0c, Buffer.from(value))
const utcTime = (time: Date) =>
  tlv(
    0x17,
    Buffer.from(
      `${time
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )

/** 1.2.840.10045.4.3.2, ECDSA with SHA-256: RFC 5758, section 3.2. */
const ECDSA_SHA256 = sequence(objectId('2a8648ce3d040302'))
/** 2.5.4.3, the common name; 2.5.29.17, the subject's alternative names. */
const nameOf = (commonName: string) => sequence(tlv(0x31, sequence(objectId('550403'), text(commonName))))
const alternativeName = (name: string) =>
  sequence(objectId('551d11'), tlv(0x04, sequence(tlv(0x82, Buffer.from(name, 'ascii')))))

export interface Certificate {
  key: string
  cert: string
}

/** A certificate for one DNS name, signed with its own key: RFC 5280, section 4.1. `expired` ended an hour ago. */
export const certificateFor = (name: string, { expired = false } = {}): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const hour = 3_600_000
  const end = new Date(Date.now() + (expired ? -hour : hour))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    nameOf(name),
    sequence(utcTime(new Date(Date.now() - 2 * hour)), utcTime(end)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(alternativeName(name))),
  )
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const der = sequence(body, ECDSA_SHA256, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`,
  }
}
