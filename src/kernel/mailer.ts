import type { Transporter } from 'nodemailer';

export interface Mail {
  /** Names the mail for good: receivers drop a second one of the same id. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Hands mails to a server. */
export interface Mailer {
  /** Resolves when the server has taken the mail. @throws {MailRefused} when trying again is of no use. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The server will not take this mail, now or later: the address is wrong, or the sender is not allowed. */
export class MailRefused extends Error {}

const timeoutMillis = 10_000;

/**
 * @param url `smtp://user:password@host:587` or `smtps://…`.
 * @param from the sender's address, perhaps with a name: `Shop <shop@example.com>`.
 */
export function createMailer(url: string, from: string): Mailer {
  let transport: Promise<Transporter> | undefined;

  async function open(): Promise<Transporter> {
    // Not at start: most processes never send one.
    const { createTransport } = await import('nodemailer');
    const timeouts = {
      connectionTimeout: timeoutMillis,
      greetingTimeout: timeoutMillis,
      socketTimeout: timeoutMillis,
    };
    const { hostname, port, protocol, username, password } = new URL(url);
    const secure = protocol === 'smtps:';
    return createTransport({
      host: hostname,
      port: Number(port) || (secure ? 465 : 587),
      secure,
      ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
      ...timeouts,
      // Texts of others never name files or addresses to load.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  return {
    async send({ id, to, subject, text }) {
      transport ??= open();
      const host = from.split('@').at(-1)!.replace(/>$/, '');
      try {
        await (await transport).sendMail({
          from,
          // As an object it is one address, whatever it holds.
          to: { name: '', address: to },
          subject: subject.replace(/\p{Cc}+/gu, ' '),
          text,
          messageId: `<${id}@${host}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        if (isForGood(error as SmtpError)) throw new MailRefused((error as Error).message, { cause: error });
        throw error;
      }
    },
    close() {
      transport?.then((open) => open.close()).catch(() => {});
    },
  };
}

interface SmtpError {
  /** nodemailer's word for where it happened. */
  readonly code?: string;
  /** What the server answered (RFC 5321, section 4.2.1: 5yz is for good). */
  readonly responseCode?: number;
}

/**
 * Whether it was this mail that was refused, by its sender, its receiver or its content. A server that does not greet or
 * let in who connects, or wants a login (530, RFC 4954), says nothing about the mail.
 */
function isForGood({ code, responseCode = 0 }: SmtpError): boolean {
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && responseCode !== 530;
}
