//! A Korean employment contract of two writers, to try everything with.
//!
//! The text is ours and no legal advice. Its boxes are drawn where its fields file says
//! ([`EMPLOYMENT_CONTRACT_FIELDS`]), so that drawing and fields cannot drift apart.

use domain::field::{Alignment, Field, FieldKind};
use domain::fields_file;
use domain::language::Language;
use domain::template::PageSize;
use krilla::SerializeSettings;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use thiserror::Error;

use crate::fonts::Fonts;
use crate::geometry::displayed_box;
use crate::item::{A4_HEIGHT, A4_WIDTH, Item};
use crate::text_layout::{self, TextFault, TextStyle};

/// The contract's FIELDS.json.
pub const EMPLOYMENT_CONTRACT_FIELDS: &str = include_str!("demo/employment_contract.json");

/// The contract could not be drawn; a fault of the build.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DemoError {
    /// A text cannot be drawn.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// The fields file is not what it should be.
    #[error("the contract's fields file is wrong: {0}")]
    Fields(String),
    /// The PDF could not be written.
    #[error("the contract could not be written: {0}")]
    Writing(String),
}

const MARGIN: f32 = 62.0;
const COLUMN: f32 = A4_WIDTH - 2.0 * MARGIN;
const BLACK: [u8; 3] = [20, 20, 24];
const GREY: [u8; 3] = [104, 108, 118];
const SHADE: [u8; 3] = [244, 246, 250];

const TITLE: &str = "근로계약서";
const PREAMBLE: &str = "아래에 서명하는 회사(이하 “회사”)와 근로자(이하 “근로자”)는 서로 존중하고 신뢰하며 일하기 위하여 \
    다음과 같이 근로계약을 맺는다. 이 계약은 두 사람이 차례로 전자서명을 마친 때에 효력이 생긴다.";

/// Heading and text; the second half stands on the second page.
const ARTICLES: [(&str, &str); 12] = [
    (
        "제1조 (계약 기간)",
        "근로자는 둘째 쪽에 적힌 계약일부터 회사에서 일을 시작하며, 계약 기간은 따로 정하지 않는다. 처음 석 달은 서로를 알아가는 수습 기간으로 하되, \
         수습 기간에도 임금은 전액 지급한다.",
    ),
    (
        "제2조 (일하는 곳과 하는 일)",
        "근로자는 회사의 본사에서 일하고, 필요하면 합의하여 집에서도 일할 수 있다. 맡는 일은 소프트웨어의 기획과 개발 및 이에 따르는 업무로 하며, \
         회사가 일의 내용을 크게 바꾸려면 근로자의 동의를 먼저 얻는다.",
    ),
    (
        "제3조 (근로 시간과 쉬는 시간)",
        "하루 여덟 시간, 한 주 마흔 시간을 일한다. 시작은 오전 9시부터 10시 사이에서 근로자가 고르고, 네 시간을 일하면 서른 분 이상, 여덟 시간을 일하면 \
         한 시간 이상을 쉰다. 이 시간을 넘는 근로는 근로자가 동의한 때에만 할 수 있고, 회사는 법이 정한 가산 임금을 지급한다.",
    ),
    (
        "제4조 (쉬는 날과 휴가)",
        "매주 토요일과 일요일, 그리고 관공서의 공휴일에는 쉰다. 연차 유급휴가는 근로기준법이 정하는 바에 따르며, 회사는 근로자가 휴가를 쓰는 까닭을 \
         묻지 않는다.",
    ),
    (
        "제5조 (임금)",
        "월 임금은 세금을 떼기 전 금액으로 서로 따로 적어 확인한 금액으로 하고, 매월 25일에 근로자의 예금 계좌로 지급한다. 지급일이 쉬는 날이면 그 전날에 \
         지급하며, 회사는 임금의 구성과 계산 방법을 적은 명세서를 함께 준다.",
    ),
    (
        "제6조 (사회보험)",
        "회사는 근로자를 국민연금, 건강보험, 고용보험, 산업재해보상보험에 빠짐없이 가입시키고 법이 정한 회사의 몫을 부담한다.",
    ),
    (
        "제7조 (안전과 건강)",
        "회사는 근로자가 다치거나 병들지 않고 일할 수 있도록 일터를 살피고, 해마다 한 번 이상 건강검진의 기회를 준다. 괴롭힘과 차별은 누구에게도 허용되지 않는다.",
    ),
    (
        "제8조 (비밀을 지킬 의무)",
        "근로자는 일하며 알게 된 회사와 고객의 비밀을 계약 기간과 그 뒤 2년 동안 밖에 알리지 않는다. 널리 알려진 사실이나 법에 따라 밝혀야 하는 내용은 \
         비밀로 보지 않는다.",
    ),
    (
        "제9조 (만든 것에 대한 권리)",
        "근로자가 업무로 만든 것에 대한 권리는 회사가 가진다. 업무와 상관없이 근로자가 자기 시간과 자기 도구로 만든 것은 근로자의 것이다.",
    ),
    (
        "제10조 (계약의 끝)",
        "근로자가 그만두려면 30일 전에 회사에 알린다. 회사가 근로자를 내보내려면 정당한 이유가 있어야 하고, 그 이유와 날짜를 적어 30일 전에 알려야 한다.",
    ),
    (
        "제11조 (개인정보)",
        "회사는 이 계약을 맺고 지키는 데 필요한 성명, 주소, 연락처만을 모으고, 법이 정한 기간이 지나면 지체 없이 없앤다. 근로자는 자신의 정보를 언제든 보고 \
         고쳐 달라고 할 수 있다.",
    ),
    (
        "제12조 (그 밖의 사항)",
        "이 계약에서 정하지 않은 것은 근로기준법과 취업규칙에 따른다. 회사는 전자서명이 끝난 이 계약서를 근로자에게 바로 보내 준다.",
    ),
];
const ARTICLES_ON_FIRST_PAGE: usize = 8;

/// Draws the contract: two pages of A4, always the same bytes.
pub fn employment_contract(fonts: &Fonts) -> Result<Vec<u8>, DemoError> {
    let fields = fields_file::parse(EMPLOYMENT_CONTRACT_FIELDS.as_bytes(), Some(2), domain::Region::Kr)
        .map_err(|faults| DemoError::Fields(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))?;
    let (first, second) = ARTICLES.split_at(ARTICLES_ON_FIRST_PAGE);
    let mut page = Page {
        fonts,
        items: Vec::new(),
        y: 58.0,
    };
    page.text(TITLE, 24.0, true, BLACK, Alignment::Center)?;
    page.y += 16.0;
    page.text(PREAMBLE, 11.0, false, BLACK, Alignment::Left)?;
    page.y += 10.0;
    page.articles(first)?;
    let first_page = page.numbered(1)?;

    let mut page = Page {
        fonts,
        items: Vec::new(),
        y: 58.0,
    };
    page.articles(second)?;
    page.forms(&fields.fields)?;
    let second_page = page.numbered(2)?;
    write(fonts, &[first_page, second_page])
}

struct Page<'a> {
    fonts: &'a Fonts,
    items: Vec<Item>,
    y: f32,
}

impl Page<'_> {
    fn text(
        &mut self,
        text: &str,
        size: f32,
        bold: bool,
        colour: [u8; 3],
        alignment: Alignment,
    ) -> Result<(), DemoError> {
        let y = self.y;
        self.y += self.place(text, (MARGIN, y, COLUMN), size, (bold, colour, alignment))?;
        Ok(())
    }

    fn place(
        &mut self,
        text: &str,
        (x, y, width): (f32, f32, f32),
        size: f32,
        (bold, colour, alignment): (bool, [u8; 3], Alignment),
    ) -> Result<f32, DemoError> {
        let style = TextStyle {
            size: Some(size),
            alignment,
            language: Language::Ko,
            bold,
            colour,
            ..TextStyle::default()
        };
        let lines = text_layout::in_column(self.fonts, text, &style, size, Some(width))?;
        let height = lines.height();
        self.items.push(Item::text(lines, x, y));
        Ok(height)
    }

    fn articles(&mut self, articles: &[(&str, &str)]) -> Result<(), DemoError> {
        for (heading, text) in articles {
            self.y += 13.0;
            self.text(heading, 12.0, true, BLACK, Alignment::Left)?;
            self.y += 3.0;
            self.text(text, 11.0, false, BLACK, Alignment::Left)?;
        }
        Ok(())
    }

    /// The two writers' parts, with a shaded box where each field is.
    fn forms(&mut self, fields: &[Field]) -> Result<(), DemoError> {
        for (step, title, note) in [
            (1, "회사", "회사는 위 내용을 근로자에게 설명하였다."),
            (2, "근로자", "근로자는 위 내용을 읽고 이해하였다."),
        ] {
            let own: Vec<&Field> = fields.iter().filter(|field| field.step == step).collect();
            let top = own.iter().map(|field| shown(field).1).fold(A4_HEIGHT, f32::min);
            self.items.push(Item::Rule {
                x: MARGIN,
                y: top - 40.0,
                width: COLUMN,
            });
            self.place(title, (MARGIN, top - 32.0, 120.0), 12.0, (true, BLACK, Alignment::Left))?;
            self.place(
                note,
                (MARGIN + 120.0, top - 30.0, COLUMN - 120.0),
                9.0,
                (false, GREY, Alignment::Right),
            )?;
            for field in own {
                self.field(field)?;
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field) -> Result<(), DemoError> {
        let (x, y, width, height) = shown(field);
        self.items.push(Item::Box {
            x,
            y,
            width,
            height,
            colour: SHADE,
        });
        let label = match field.kind {
            FieldKind::Check => "제11조에 따른 개인정보의 수집과 이용에 동의합니다.",
            FieldKind::Seal => "(직인)",
            FieldKind::Signature => "(서명)",
            _ => field.shown_name(),
        };
        let (place, alignment) = match field.kind {
            FieldKind::Check => ((x + width + 8.0, y + 1.5, COLUMN), Alignment::Left),
            FieldKind::Seal | FieldKind::Signature => ((x, y + height + 2.0, width), Alignment::Center),
            _ => ((MARGIN, y + 6.0, x - MARGIN - 8.0), Alignment::Left),
        };
        let colour = if field.kind.is_picture() { GREY } else { BLACK };
        self.place(label, place, 10.0, (false, colour, alignment))?;
        Ok(())
    }

    fn numbered(mut self, number: u32) -> Result<Vec<Item>, DemoError> {
        let place = (MARGIN, A4_HEIGHT - 44.0, COLUMN);
        self.place(
            &format!("{TITLE} — {number} / 2"),
            place,
            8.0,
            (false, GREY, Alignment::Center),
        )?;
        Ok(self.items)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "lengths on an A4 page")]
fn shown(field: &Field) -> (f32, f32, f32, f32) {
    let size = PageSize {
        width_points: f64::from(A4_WIDTH),
        height_points: f64::from(A4_HEIGHT),
    };
    let place = displayed_box(&size, &field.placement);
    (place.x as f32, place.y as f32, place.width as f32, place.height as f32)
}

fn write(fonts: &Fonts, pages: &[Vec<Item>]) -> Result<Vec<u8>, DemoError> {
    let mut document = krilla::Document::new_with(SerializeSettings {
        enable_tagging: false,
        ..SerializeSettings::default()
    });
    document.set_metadata(
        Metadata::new()
            .title(TITLE.to_owned())
            .language("ko-KR".to_owned())
            .producer("Countersign".to_owned()),
    );
    for items in pages {
        let settings = PageSettings::from_wh(A4_WIDTH, A4_HEIGHT)
            .ok_or_else(|| DemoError::Writing("the page has no size".to_owned()))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for item in items {
            item.draw(fonts, &mut surface);
        }
        surface.finish();
        page.finish();
    }
    document
        .finish()
        .map_err(|error| DemoError::Writing(format!("{error:?}")))
}
