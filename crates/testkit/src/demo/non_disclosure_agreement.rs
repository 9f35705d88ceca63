//! The text of the English non-disclosure agreement.

use domain::language::Language;

use super::Contract;

pub(super) const CONTRACT: Contract = Contract {
    language: Language::En,
    title: "Mutual Non-Disclosure Agreement",
    preamble: "The two parties who sign below are considering doing business together and will tell each other things that are \
        not public. So that both can speak openly, they agree as follows. The agreement takes effect when both have signed it \
        electronically, one after the other.",
    on_first_page: 7,
    articles: &[
        (
            "1. Confidential information",
            "Confidential information is everything that one party discloses to the other for the purpose of their talks, in \
             writing, in speech or by giving access, and that is marked as confidential or that a reasonable person would \
             take to be so: plans, prices, customers, designs, source code and the like.",
        ),
        (
            "2. What is not confidential",
            "Information is not confidential where the party that received it can show that it was public, that it knew it \
             before, that a third party told it lawfully and without a duty of secrecy, or that it found it out itself \
             without the help of what was disclosed.",
        ),
        (
            "3. Duty of secrecy",
            "Each party keeps the confidential information of the other secret, protects it with the care that it gives its \
             own, and in no case with less than reasonable care. It uses the information for the talks and for nothing else.",
        ),
        (
            "4. People who may know",
            "Each party may pass the information on to those of its employees and advisers who need it for the talks and who \
             are bound to secrecy no less than by this agreement. It answers for what they do as for its own acts.",
        ),
        (
            "5. Disclosure required by law",
            "A party that a court or an authority orders to disclose information may do so. Where the law allows it, it tells \
             the other party first, and it discloses no more than it must.",
        ),
        (
            "6. Return and deletion",
            "When the other party asks for it in writing, a party returns or deletes the information within thirty days and \
             confirms that it has done so. Copies in regular backups may stay until they are overwritten; the duty of secrecy \
             holds for them as long as they exist.",
        ),
        (
            "7. No licence and no warranty",
            "The information stays the property of the party that discloses it. Nothing here grants a licence, and nobody \
             warrants that the information is complete or fit for any purpose.",
        ),
        (
            "8. No duty to go on",
            "Neither party is bound by this agreement to disclose anything, to conclude a further contract or to refrain from \
             talks with others.",
        ),
        (
            "9. Term",
            "The agreement begins on the effective date below and ends after two years. Either party may end it earlier with \
             thirty days' notice. For what was disclosed before, the duty of secrecy lasts three years from the disclosure.",
        ),
        (
            "10. Changes",
            "Changes need the written form; an electronic signature of both parties meets it. If a provision is invalid, the \
             others stay in force.",
        ),
        (
            "11. Governing law",
            "The agreement is governed by the law of the place where the party that is asked to keep a secret has its seat, \
             and its courts decide.",
        ),
    ],
    parties: [
        ("First party", "I have read this agreement and accept it."),
        ("Second party", "I have read this agreement and accept it."),
    ],
    checked: "I am entitled to sign for the party that is named here.",
    sealed: "(Seal)",
    signed: "(Signature)",
    fields: super::NON_DISCLOSURE_AGREEMENT_FIELDS,
};
