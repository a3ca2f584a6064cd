/** The address guard: a table of what must never be connected to, spelled in every way, and of what may. */
import type { LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  AddressRejectedError,
  forbiddenRange,
  guardedLookup,
  invalidUrlReason,
} from '../../../lib/egress/address-guard.ts'

const PUBLIC = { local: false }
const LOCAL = { local: true }

/** Address and the range that shuts it out. */
const REFUSED_ADDRESSES: [string, string][] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['100.100.100.200', 'carrierGradeNat'],
  ['100.127.255.254', 'carrierGradeNat'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'host agent'],
  ['169.254.0.1', 'linkLocal'],
  ['169.254.169.254', 'linkLocal'],
  ['169.254.170.2', 'linkLocal'],
  ['172.16.0.1', 'private'],
  ['172.31.255.254', 'private'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['192.31.196.1', 'as112'],
  ['192.52.193.1', 'amt'],
  ['192.88.99.1', 'reserved'],
  ['192.168.0.1', 'private'],
  ['192.175.48.1', 'as112'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.254', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'reserved'],
  ['::808:808', 'reserved'],
  ['::127.0.0.1', 'ipv4Mapped'],
  ['::ffff:127.0.0.1', 'ipv4Mapped'],
  ['::ffff:10.0.0.1', 'ipv4Mapped'],
  ['::ffff:a9fe:a9fe', 'ipv4Mapped'],
  ['::ffff:8.8.8.8', 'ipv4Mapped'],
  ['::ffff:0:127.0.0.1', 'rfc6145'],
  ['64:ff9b::10.0.0.1', 'rfc6052'],
  ['64:ff9b::a9fe:a9fe', 'rfc6052'],
  ['64:ff9b:1::1', 'rfc6052'],
  ['100::1', 'discard'],
  ['100:0:0:1::1', 'reserved'],
  ['2001::1', 'teredo'],
  ['2001:0:7f00:1::', 'teredo'],
  ['2001:2::1', 'benchmarking'],
  ['2001:10::1', 'deprecatedOrchid'],
  ['2001:20::1', 'orchid2'],
  ['2001:db8::1', 'reserved'],
  ['2002:7f00:1::', '6to4'],
  ['2002:a9fe:a9fe::1', '6to4'],
  ['2002:808:808::1', '6to4'],
  ['3fff::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'segmentRouting'],
  ['fc00::1', 'uniqueLocal'],
  ['fd00:ec2::254', 'uniqueLocal'],
  ['fe80::1', 'linkLocal'],
  ['fe80::1%eth0', 'linkLocal'],
  ['fec0::1', 'deprecatedSiteLocal'],
  ['ff02::1', 'multicast'],
  ['not-an-address', 'not an address'],
]

const ALLOWED_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '192.169.0.1',
  '223.255.255.254',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
]

describe('an address', () => {
  test.each(REFUSED_ADDRESSES)('%s should be rejected: %s', (address, range) => {
    expect(forbiddenRange(address, PUBLIC)).toBe(range)
  })

  test.each(ALLOWED_ADDRESSES)('%s should be allowed', (address) => {
    expect(forbiddenRange(address, PUBLIC)).toBeUndefined()
  })

  test.each(REFUSED_ADDRESSES.filter(([, range]) => range !== 'loopback'))(
    '%s should be rejected on the local stage too: %s',
    (address, range) => {
      expect(forbiddenRange(address, LOCAL)).toBe(range)
    },
  )

  test.each(['127.0.0.1', '127.0.0.2', '::1'])('%s should be allowed on the local stage', (address) => {
    expect(forbiddenRange(address, LOCAL)).toBeUndefined()
  })
})

/** URLs that carry an address in some spelling, and URLs that are wrong in their form. */
const REFUSED_URLS: [string, string][] = [
  ['https://127.0.0.1/', 'loopback'],
  ['https://127.1/', 'an unusual spelling of an IP address'],
  ['https://127.0.1/', 'an unusual spelling of an IP address'],
  ['https://2130706433/', 'an unusual spelling of an IP address'],
  ['https://0x7f000001/', 'an unusual spelling of an IP address'],
  ['https://0x7f.0.0.1/', 'an unusual spelling of an IP address'],
  ['https://0177.0.0.1/', 'an unusual spelling of an IP address'],
  ['https://017700000001/', 'an unusual spelling of an IP address'],
  ['https://0/', 'an unusual spelling of an IP address'],
  ['https://127.0.0.1./', 'an unusual spelling of an IP address'],
  ['https://%31%32%37.0.0.1/', 'an unusual spelling of an IP address'],
  ['https://１２７.0.0.1/', 'an unusual spelling of an IP address'],
  ['https://127。0。0。1/', 'an unusual spelling of an IP address'],
  ['https://134744072/', 'an unusual spelling of an IP address'],
  ['https://169.254.169.254/latest/meta-data/', 'linkLocal'],
  ['https://[::1]/', 'loopback'],
  ['https://[0:0:0:0:0:0:0:1]/', 'loopback'],
  ['https://[::ffff:127.0.0.1]/', 'ipv4Mapped'],
  ['https://[::ffff:7f00:1]/', 'ipv4Mapped'],
  ['https://[64:ff9b::7f00:1]/', 'rfc6052'],
  ['https://[fe80::1]/', 'linkLocal'],
  ['https://[fd00:ec2::254]/', 'uniqueLocal'],
  ['https://256.1.1.1/', 'not a URL with a host'],
  ['https://[::1%25lo]/', 'not a URL with a host'],
  ['https://localhost/', 'a local name'],
  ['https://LOCALHOST/', 'a local name'],
  ['https://wallet.localhost/', 'a local name'],
  ['https://printer.local/', 'a local name'],
  ['https://metadata.google.internal/', 'a local name'],
  ['https://router.home.arpa/', 'a local name'],
  ['https://intranet/', 'a local name'],
  ['https://wallet/', 'a local name'],
  ...['localhost', 'local', 'home.arpa', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'test', 'invalid']
    .concat('onion', 'alt')
    .map((name): [string, string] => [`https://wallet.${name}/`, 'a local name']),
  ['https://localhost./', 'a trailing dot'],
  ['https://wallet.example.com./', 'a trailing dot'],
  ['https://user@wallet.example.com/', 'credentials in the URL'],
  ['https://user:secret@wallet.example.com/', 'credentials in the URL'],
  ['https://:secret@wallet.example.com/', 'credentials in the URL'],
  ['https://wallet.example.com:0/', 'a port other than 443 and 1024 to 65535'],
  ['https://wallet.example.com:22/', 'a port other than 443 and 1024 to 65535'],
  ['https://wallet.example.com:80/', 'a port other than 443 and 1024 to 65535'],
  ['https://wallet.example.com:1023/', 'a port other than 443 and 1024 to 65535'],
  ['https://wallet.example.com:65536/', 'not a URL with a host'],
  ['http://wallet.example.com/', 'not https'],
  ['ws://wallet.example.com/', 'not https'],
  ['ftp://wallet.example.com/', 'not https'],
  ['file:///etc/passwd', 'not a URL with a host'],
  ['didcomm:transport/queue', 'not a URL with a host'],
  ['javascript:alert(1)', 'not a URL with a host'],
  ['https:wallet.example.com', 'not a URL with a host'],
  ['https:///wallet.example.com', 'not a URL with a host'],
  ['https://', 'not a URL with a host'],
  ['//wallet.example.com/', 'not a URL with a host'],
  ['wallet.example.com', 'not a URL with a host'],
  ['', 'not a URL with a host'],
  ['https://wallet.exam\nple.com/', 'white space, control characters or backslashes'],
  ['https://wallet.example.com\\@127.0.0.1/', 'white space, control characters or backslashes'],
  [' https://wallet.example.com/', 'white space, control characters or backslashes'],
  ['https://wallet.example.com/\u0000', 'white space, control characters or backslashes'],
]

const ALLOWED_URLS = [
  'https://wallet.example.com',
  'https://wallet.example.com/inbox?a=b#c',
  'HTTPS://Wallet.Example.Com/',
  'https://wallet.example.com:443/',
  'https://wallet.example.com:1024/',
  'https://wallet.example.com:65535/',
  'https://bücher.example.com/',
  'https://localhost.example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
]

describe('a URL', () => {
  test.each(REFUSED_URLS)('%j should be rejected: %s', (url, reason) => {
    expect(invalidUrlReason(url, PUBLIC)).toBe(reason)
  })

  test.each(ALLOWED_URLS)('%s should be allowed', (url) => {
    expect(invalidUrlReason(url, PUBLIC)).toBeUndefined()
  })

  test.each(['http://127.0.0.1:8080/', 'http://localhost:3000/', 'http://[::1]:3000/', 'http://wallet.example.com/'])(
    '%s should be allowed on the local stage only',
    (url) => {
      expect(invalidUrlReason(url, LOCAL)).toBeUndefined()
      expect(invalidUrlReason(url, PUBLIC)).toBe('not https')
    },
  )

  test.each(['ws://localhost:3000/', 'ftp://localhost:3000/'])('%s is not allowed on the local stage either', (url) => {
    expect(invalidUrlReason(url, LOCAL)).toBe('not https')
  })

  test.each([
    'http://10.0.0.1:8080/',
    'http://169.254.169.254/',
    'http://2130706433:3000/',
    'http://a@localhost:3000/',
  ])('%s should be rejected on the local stage too', (url) => {
    expect(invalidUrlReason(url, LOCAL)).toBeDefined()
  })

  test('should be rejected with an IP address as host if `ipLiterals` is false, except loopback on the local stage', () => {
    expect(invalidUrlReason('https://8.8.8.8/', { ...PUBLIC, ipLiterals: false })).toBe(
      'an IP address instead of a name',
    )
    expect(invalidUrlReason('http://8.8.8.8/', { ...LOCAL, ipLiterals: false })).toBe('an IP address instead of a name')
    expect(invalidUrlReason('http://127.0.0.1:3000/', { ...LOCAL, ipLiterals: false })).toBeUndefined()
  })
})

/** The results of resolving a name, in order; the last one stays. Like `dns.lookup`, it returns all addresses only when asked. */
const resolver = (...answers: string[][]) => {
  const asked: string[] = []
  const resolve: LookupFunction = (name, options, callback) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(name)
    const found = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all === true) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
  return { resolve, asked }
}

const look = (resolve: LookupFunction, options = {}) =>
  new Promise((done, fail) => {
    guardedLookup(PUBLIC, resolve)('wallet.example.com', options, (error, ...found) =>
      error === null ? done(found) : fail(error),
    )
  })

describe('the look-up', () => {
  test('should hand on exactly the addresses that it has checked', async () => {
    const { resolve, asked } = resolver(['8.8.8.8', '2606:4700:4700::1111'])
    expect(await look(resolve, { all: true })).toEqual([
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700:4700::1111', family: 6 },
      ],
    ])
    expect(asked).toHaveLength(1)
  })

  test('should hand on one address to who asks for one', async () => {
    expect(await look(resolver(['8.8.8.8', '1.1.1.1']).resolve)).toEqual(['8.8.8.8', 4])
  })

  test('should check every address, also when one is requested', async () => {
    for (const answer of [
      ['8.8.8.8', '10.0.0.1'],
      ['10.0.0.1', '8.8.8.8'],
      ['8.8.8.8', '::1'],
    ]) {
      await expect(look(resolver(answer).resolve)).rejects.toBeInstanceOf(AddressRejectedError)
      await expect(look(resolver(answer).resolve, { all: true })).rejects.toBeInstanceOf(AddressRejectedError)
    }
  })

  test('should reject each address of the table', async () => {
    for (const [address] of REFUSED_ADDRESSES)
      await expect(look(resolver([address]).resolve)).rejects.toBeInstanceOf(AddressRejectedError)
  })

  test('should not be fooled by a name that changes its mind: each look-up is checked itself', async () => {
    const { resolve, asked } = resolver(['8.8.8.8'], ['127.0.0.1'])
    expect(await look(resolve)).toEqual(['8.8.8.8', 4])
    expect(asked).toHaveLength(1)
    await expect(look(resolve)).rejects.toThrow('wallet.example.com leads to loopback')
    expect(asked).toHaveLength(2)
  })

  test('should reject a name without addresses', async () => {
    await expect(look(resolver([]).resolve)).rejects.toBeInstanceOf(AddressRejectedError)
  })

  test('should hand on the failure of the resolver', async () => {
    const error = Object.assign(new Error('no'), { code: 'ENOTFOUND' })
    await expect(look((_name, _options, callback) => callback(error, []))).rejects.toBe(error)
  })
})
