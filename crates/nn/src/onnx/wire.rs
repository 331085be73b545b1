//! Protobuf as bytes: fields with a number and a kind, read without copying and written in order.

use crate::NetError;

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A whole number of up to 64 bits.
    Number(u64),
    /// Eight bytes.
    Fixed64([u8; 8]),
    /// A text, a message, or numbers one after another.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32([u8; 4]),
}

impl<'a> Value<'a> {
    /// The bytes of a text or message.
    pub fn bytes(self) -> Result<&'a [u8], NetError> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(NetError::Onnx("a number where a text or message was expected".into())),
        }
    }

    /// A text.
    pub fn text(self) -> Result<&'a str, NetError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| NetError::Onnx("a name is no UTF-8".into()))
    }

    /// A whole number; what is meant as negative comes out negative.
    pub fn number(self) -> Result<i64, NetError> {
        match self {
            Value::Number(number) => Ok(number as i64),
            _ => Err(NetError::Onnx("a text where a number was expected".into())),
        }
    }

    /// A repeated whole number: one, or several packed.
    pub fn numbers(self, into: &mut Vec<i64>) -> Result<(), NetError> {
        match self {
            Value::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    into.push(varint(&mut bytes)? as i64);
                }
                Ok(())
            }
            value => value.number().map(|number| into.push(number)),
        }
    }

    /// A repeated number of single precision: one, or several packed.
    pub fn floats(self, into: &mut Vec<f32>) -> Result<(), NetError> {
        match self {
            Value::Fixed32(bytes) => into.push(f32::from_le_bytes(bytes)),
            Value::Bytes(bytes) => into.extend(bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes))),
            _ => return Err(NetError::Onnx("another kind of number where single precision was expected".into())),
        }
        Ok(())
    }
}

fn truncated() -> NetError {
    NetError::Truncated("an ONNX message ends inside a field".into())
}

fn varint(bytes: &mut &[u8]) -> Result<u64, NetError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or_else(truncated)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(NetError::Format("a number of more than 64 bits".into()))
}

/// The fields of a message, in their order: `(number, value)`.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), NetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = field(&mut self.0);
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

fn field<'a>(bytes: &mut &'a [u8]) -> Result<(u64, Value<'a>), NetError> {
    let key = varint(bytes)?;
    let value = match key & 7 {
        0 => Value::Number(varint(bytes)?),
        1 => {
            let (head, rest) = bytes.split_first_chunk::<8>().ok_or_else(truncated)?;
            *bytes = rest;
            Value::Fixed64(*head)
        }
        2 => {
            let length = usize::try_from(varint(bytes)?).map_err(|_| truncated())?;
            let (head, rest) = bytes.split_at_checked(length).ok_or_else(truncated)?;
            *bytes = rest;
            Value::Bytes(head)
        }
        5 => {
            let (head, rest) = bytes.split_first_chunk::<4>().ok_or_else(truncated)?;
            *bytes = rest;
            Value::Fixed32(*head)
        }
        kind => {
            return Err(NetError::Format(format!(
                "no ONNX model: a field of kind {kind} (raw integers are read by the name of their shape)"
            )));
        }
    };
    Ok((key >> 3, value))
}

/// A message being written.
#[derive(Debug, Default, Clone)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds a whole number.
    pub fn number(mut self, field: u64, number: i64) -> Self {
        self.varint(field << 3);
        self.varint(number as u64);
        self
    }

    /// Adds a number of single precision.
    pub fn float(mut self, field: u64, number: f32) -> Self {
        self.varint(field << 3 | 5);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds bytes.
    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// Adds a text.
    pub fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// Adds a message.
    pub fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    /// Adds each of several messages.
    pub fn messages(self, field: u64, messages: &[Message]) -> Self {
        messages.iter().fold(self, |all, message| all.message(field, message))
    }
}
