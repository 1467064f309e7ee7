import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chacha20 } from '@noble/ciphers/chacha.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sharedSecretX } from '../secp256k1.ts';

/** How two keys write to each other. What cannot be read throws. */
export interface Conversation {
  encrypt(text: string): string;
  decrypt(payload: string): string;
}

export type EncryptionName = 'nip44_v2' | 'nip04';

/**
 * The shared secret is worked out once: it costs more than everything else together.
 * @throws {Error} when the public key is none.
 */
export function openConversations(privateKey: Uint8Array, publicKey: Uint8Array): Record<EncryptionName, Conversation> {
  const shared = sharedSecretX(privateKey, publicKey);
  if (!shared) throw new Error('The public key is no point of the curve');
  return { nip44_v2: nip44(extract(sha256, shared, Buffer.from('nip44-v2'))), nip04: nip04(shared) };
}

/** NIP-44, version 2. */
export function nip44(conversationKey: Uint8Array): Conversation {
  return {
    encrypt: (text) => nip44Encrypt(conversationKey, text, randomBytes(32)),
    decrypt(payload) {
      const bytes = Buffer.from(payload, 'base64');
      if (bytes[0] !== 2 || bytes.length < 99) throw new Error('Not a NIP-44 payload of version 2');
      const [nonce, sealed, mac] = [bytes.subarray(1, 33), bytes.subarray(33, -32), bytes.subarray(-32)];
      const { cipherKey, cipherNonce, macKey } = messageKeys(conversationKey, nonce);
      if (!timingSafeEqual(macOf(macKey, nonce, sealed), mac))
        throw new Error('The payload was not written with this key');
      const padded = Buffer.from(chacha20(cipherKey, cipherNonce, sealed));
      const length = padded.readUInt16BE(0);
      if (length === 0 || padded.length !== 2 + paddedLength(length)) throw new Error('The payload is padded wrongly');
      return padded.toString('utf8', 2, 2 + length);
    },
  };
}

/** With a nonce that the caller chose, which only test vectors may do. */
export function nip44Encrypt(conversationKey: Uint8Array, text: string, nonce: Uint8Array): string {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length === 0 || plain.length > 65_535) throw new RangeError('NIP-44 takes 1 to 65535 bytes');
  const padded = Buffer.alloc(2 + paddedLength(plain.length));
  padded.writeUInt16BE(plain.length, 0);
  plain.copy(padded, 2);
  const { cipherKey, cipherNonce, macKey } = messageKeys(conversationKey, nonce);
  const sealed = chacha20(cipherKey, cipherNonce, padded);
  return Buffer.concat([Buffer.of(2), nonce, sealed, macOf(macKey, nonce, sealed)]).toString('base64');
}

function messageKeys(conversationKey: Uint8Array, nonce: Uint8Array) {
  const keys = expand(sha256, conversationKey, nonce, 76);
  return { cipherKey: keys.subarray(0, 32), cipherNonce: keys.subarray(32, 44), macKey: keys.subarray(44) };
}

function macOf(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer {
  return createHmac('sha256', key).update(nonce).update(sealed).digest();
}

/** NIP-44 hides the length: up to the next eighth of a power of two, 32 bytes at least. */
function paddedLength(length: number): number {
  if (length <= 32) return 32;
  const power = 2 ** (Math.floor(Math.log2(length - 1)) + 1);
  const chunk = power <= 256 ? 32 : power / 8;
  return chunk * (Math.floor((length - 1) / chunk) + 1);
}

/** NIP-04, for wallets that know nothing newer. */
function nip04(shared: Uint8Array): Conversation {
  return {
    encrypt(text) {
      const iv = randomBytes(16);
      const cipher = createCipheriv('aes-256-cbc', shared, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${sealed.toString('base64')}?iv=${iv.toString('base64')}`;
    },
    decrypt(payload) {
      const [sealed = '', iv = ''] = payload.split('?iv=');
      const decipher = createDecipheriv('aes-256-cbc', shared, Buffer.from(iv, 'base64'));
      return Buffer.concat([decipher.update(Buffer.from(sealed, 'base64')), decipher.final()]).toString('utf8');
    },
  };
}
